/** The operations for clients of publisher gateways (contract/publisher-login.md). */
import { type GatewayWhoami, isPermission, type MacaroonResponse, type SessionId } from '@ratafia/api'
import { accountActor } from '../../change.ts'
import type { Authentication } from '../authentication/authentication.ts'
import { DEVELOPER_TOKENS, firstValidSlice, type Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { exchangeLogin, tokenFor, verifyForToken } from '../exchange.ts'
import { checkDescription } from '../requested-token.ts'

/**
 * `POST /v1/tokens/exchange` and `/v1/tokens/usso/exchange`: exchanges a login of a client that describes
 * itself. The session gets this description, which was not known when the root was issued. Throws as
 * `exchange` does, and `invalid-field`.
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

/**
 * `GET /v1/tokens/whoami` (decision 23). Omits the expiry: snapcraft does not expect one here, and appends a
 * "Z" to times.
 */
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
    // charmcraft fails on a package without a type, and tokens do not contain the type.
    packages: packages?.map((id) => ({ type: 'charm' as const, id })) ?? null,
    permissions: permissions?.filter(isPermission) ?? null,
  }
}

/**
 * `POST /v1/tokens/offline/exchange`: issues another token of the session of a credential that a tool got in
 * an environment variable (decision 27). Throws as `exchange` does, but also accepts a token.
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
