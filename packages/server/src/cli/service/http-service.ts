/** A service that a command administers over HTTP: sends requests, retries them, and explains refusals. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MANAGEMENT_PREFIX } from '@ratafia/api/management'
import { systemClock } from '../../clock.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { ServiceAway, ServiceRefusal } from '../context.ts'
import { type Answer, ask, NoAnswer, unexplained } from '../login/ask.ts'
import { withLists } from './lists.ts'
import type { Asking, Found, Service, ServiceOperation } from './service.ts'

/** The token for requests, and a function to renew it when the service requires a recent sign-in. */
export interface Bearer {
  readonly token: string
  /** Signs in again; undefined if there is no user at a terminal who could. */
  readonly renew: (() => Promise<string>) | undefined
}

const TRIES = 3
const PAUSE_MS = 1_000
/** The largest answer: a record can have thousands of bytes. */
const MOST_BYTES = 4 * 1024 * 1024

export function serviceAt(url: string, bearer: Bearer): Service {
  let { token } = bearer
  const send = async (operation: ServiceOperation, asking: Asking): Promise<Answer> => {
    const key = operation.method === 'GET' ? undefined : randomUUID()
    for (let tries = 1; ; tries++) {
      try {
        return await ask(addressOf(url, operation, asking), question(operation, asking, { token, key }))
      } catch (error) {
        // Retries use the same key, so the operation runs only once even if the first request arrived.
        if (!(error instanceof NoAnswer) || error.lasting || tries === TRIES) throw error
        await sleep(PAUSE_MS * tries)
      }
    }
  }
  const call = async (operation: ServiceOperation, asking: Asking = {}): Promise<Found> => {
    let answer = await send(operation, asking)
    if (bearer.renew && codeOf(answer) === 'recent-sign-in-required') {
      token = await bearer.renew()
      answer = await send(operation, asking)
    }
    const { status, headers, body } = answer
    if (status >= 200 && status < 300 && body) return { record: body, etag: headers.get('etag') ?? undefined }
    throw refusalOf(answer)
  }
  return withLists({
    ...{ url, clock: systemClock },
    call,
    async *lines(operation, asking = {}) {
      const { linesOf } = await import('./lines.ts')
      const lines = await linesOf(
        addressOf(url, operation, asking),
        question(operation, asking, { token, key: undefined }),
      )
      if ('status' in lines) throw refusalOf(lines)
      yield* lines
    },
    tryFile: undefined,
    meanwhile: (work) => work(),
  })
}

function addressOf(
  url: string,
  { path }: ServiceOperation,
  { id = '', names = {}, query = {} }: Asking,
): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(name === 'id' ? id : (names[name] ?? '')),
  )
  const address = new URL(`${url}${MANAGEMENT_PREFIX}${filled}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) address.searchParams.append(name, String(one))
  }
  return address.href
}

const question = (
  { method }: ServiceOperation,
  { body, bytes, ifMatch }: Asking,
  { token, key }: { readonly token: string; readonly key: string | undefined },
) => ({
  method,
  most: MOST_BYTES,
  ...(body ? { body: JSON.stringify(body) } : {}),
  ...(bytes ? { body: Buffer.from(bytes) } : {}),
  headers: {
    authorization: `Macaroon ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(bytes ? { 'content-type': 'application/octet-stream' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  },
})

const firstError = ({ body = {} }: Answer): JsonObject => {
  const [first]: readonly unknown[] = Array.isArray(body['error_list']) ? body['error_list'] : []
  return isObject(first) ? first : {}
}

const codeOf = (answer: Answer): unknown => firstError(answer)['code']

/** Returns the service's own message, which a command on the database would also print. `addressIn`: as for `ask`. */
export function refusalOf(answer: Answer, addressIn?: string): ServiceRefusal | ServiceAway {
  const { code, message, extra } = firstError(answer)
  const { status } = answer
  const said = typeof message === 'string' && message !== '' ? message.slice(0, 2000) : undefined
  if (said === undefined) return unexplained(answer, addressIn)
  if (status === 429 || status >= 500) return new ServiceAway(said)
  return new ServiceRefusal(said, {
    ...(typeof code === 'string' ? { code: code.slice(0, 64) } : {}),
    ...(isObject(extra) ? { extra } : {}),
  })
}
