/** The URL that the user opens, and the URL where the client waits for the login. */
import assert from 'node:assert/strict'

export interface InteractionRequired {
  readonly Info: {
    readonly InteractionMethods: {
      readonly 'browser-window': { readonly VisitURL: string; readonly WaitTokenURL: string }
    }
  }
}

/** Requests a root macaroon and its discharge, without credentials. */
export async function discharging(baseUrl: string): Promise<InteractionRequired> {
  const asked = await fetch(`${baseUrl}/api/v2/tokens`, { method: 'POST' })
  const { macaroon } = (await asked.json()) as { macaroon: string }
  const root = JSON.parse(macaroon) as { c: readonly { readonly i64?: string; readonly v64?: string }[] }
  const id = root.c.find(({ v64 }) => v64 !== undefined)?.i64 ?? assert.fail('no third-party caveat')
  const response = await fetch(`${baseUrl}/identity/discharge`, {
    method: 'POST',
    headers: { 'bakery-protocol-version': '2' },
    body: new URLSearchParams({ id64: id }),
  })
  return (await response.json()) as InteractionRequired
}
