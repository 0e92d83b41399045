/** `POST /v1/tokens/exchange` and `/v1/tokens/usso/exchange`: an exchange by a client that says what it is. */
import type { MacaroonResponse, SessionId } from '@ratafia/api'
import { accountActor } from '../../change.ts'
import type { Presented } from '../authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { exchangeLogin } from '../exchange.ts'
import { checkDescription } from '../requested-token.ts'

export interface GatewayExchangeDependencies extends RequestDependencies {}

/**
 * The description becomes that of the session: the root was made before anybody knew it. Throws as `exchange` does, and
 * `invalid-field`.
 */
export async function gatewayExchange(
  presented: Presented,
  clientDescription: string | undefined,
  deps: GatewayExchangeDependencies,
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
