/** What clients of publisher gateways ask for (contract/publisher-login.md). */
import { type GatewayWhoami, isPermission, type MacaroonResponse, type SessionId } from '@ratafia/api'
import { accountActor } from '../../change.ts'
import type { Authentication } from '../authentication/authentication.ts'
import { DEVELOPER_TOKENS, firstValidSlice, type Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { exchangeLogin, tokenFor, verifyForToken } from '../exchange.ts'
import { checkDescription } from '../requested-token.ts'

/**
 * `POST /v1/tokens/exchange` and `/v1/tokens/usso/exchange`: an exchange by a client that says what it is. The
 * description becomes that of the session: the root was made before anybody knew it. Throws as `exchange` does, and
 * `invalid-field`.
 */
export async function gatewayExchange(
  presented: Presented,
  clientDescription: string | undefined,
  deps: RequestDependencies,
): Promise<MacaroonResponse> {
  const description = checkDescription(clientDescription, 'body/client-description')
  const { token, account, sessionId } = await exchangeLogin(presented, deps)
  if (description !== undefined) await describe(sessionId, description)
  return { macaroon: token }

  async function describe(id: SessionId, text: string): Promise<void> {
    const change = deps.changeBy({ actor: accountActor(account.username), source: deps.source })
    await change(async ({ tokenSessions, record }) => {
      if (await tokenSessions.describe(id, text)) await record({ action: 'token.describe', subject: id })
    })
  }
}

/** `GET /v1/tokens/whoami` (decision 23). Without its end: snapcraft appends a "Z" to a time, and expects none here. */
export function gatewayWhoami({ account, attenuations }: Authentication): GatewayWhoami {
  const { channels, packages, permissions } = attenuations
  return {
    account: {
      id: account.id,
      username: account.username,
      email: account.email,
      'display-name': account.name,
      validation: 'unproven',
    },
    channels: channels && [...channels],
    // charmcraft stops at a package without a type, and a token does not keep one.
    packages: packages?.map((id) => ({ type: 'charm' as const, id })) ?? null,
    permissions: permissions?.filter(isPermission) ?? null,
  }
}

/**
 * `POST /v1/tokens/offline/exchange`: a further token of the session of a credential that a tool was given in a variable
 * (decision 27). Throws as `exchange` does, but accepts a token as well.
 */
export async function offlineExchange(
  presented: Presented,
  deps: RequestDependencies,
): Promise<MacaroonResponse> {
  const { token } = await firstValidSlice(
    presented,
    { keyring: deps.keyring, taken: DEVELOPER_TOKENS },
    async (slice, macaroon) => tokenFor(await verifyForToken(slice, macaroon, deps), deps),
  )
  return { macaroon: token }
}
