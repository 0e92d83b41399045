/** Gets a management token of a service: its root, the discharge by a login, the exchange. */
import type { Role } from '@ratafia/api/roles'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { askFor, strangeAnswer, withJson } from '../login/ask.ts'
import { dischargedRoot, type LogIn } from '../login/discharge.ts'
import { MANAGEMENT_PATH } from './paths.ts'

/** The body of the request for a root. */
export interface WantedToken {
  readonly roles?: readonly Role[]
  readonly brands?: readonly string[]
  readonly read_only?: boolean
  /** Seconds. */
  readonly lifetime?: number
  /** Seconds: how long ago the person may have signed in. */
  readonly max_age?: number
  readonly description?: string
}

/** Throws `ServiceRefusal`, `ServiceAway`, and what `logIn` throws. */
export async function managementToken(url: string, wanted: WantedToken, logIn: LogIn): Promise<string> {
  const place = `${url}${MANAGEMENT_PATH}/tokens/root`
  const { macaroon: root } = await askFor(place, withJson(wanted))
  const slice = await dischargedRoot(root, place, logIn)
  const exchange = `${url}${MANAGEMENT_PATH}/tokens/exchange`
  const { macaroon } = await askFor(exchange, withJson({}, { macaroons: formatMacaroonsHeader(slice) }))
  if (typeof macaroon === 'string' && /^[A-Za-z0-9_-]+$/.test(macaroon)) return macaroon
  throw strangeAnswer(exchange, 'no token')
}
