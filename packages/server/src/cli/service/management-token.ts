/** Gets a management token from a service: requests a root, discharges it by a login, and exchanges both. */
import { MANAGEMENT_PREFIX } from '@ratafia/api/management'
import type { Role } from '@ratafia/api/roles'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { askFor, strangeAnswer, withJson } from '../login/ask.ts'
import { dischargedRoot, type LogIn } from '../login/discharge.ts'

/** The body of the request for a root macaroon. */
export interface WantedToken {
  readonly roles?: readonly Role[]
  readonly brands?: readonly string[]
  readonly read_only?: boolean
  /** The requested lifetime in seconds. */
  readonly lifetime?: number
  /** The maximum age of the user's sign-in, in seconds. */
  readonly max_age?: number
  readonly description?: string
}

/** Returns a management token. Throws `ServiceRefusal`, `ServiceAway`, and the errors of `logIn`. */
export async function managementToken(url: string, wanted: WantedToken, logIn: LogIn): Promise<string> {
  const place = `${url}${MANAGEMENT_PREFIX}/tokens/root`
  const { macaroon: root } = await askFor(place, withJson(wanted))
  const slice = await dischargedRoot(root, place, logIn)
  const exchange = `${url}${MANAGEMENT_PREFIX}/tokens/exchange`
  const { macaroon } = await askFor(exchange, withJson({}, { macaroons: formatMacaroonsHeader(slice) }))
  if (typeof macaroon === 'string' && /^[A-Za-z0-9_-]+$/.test(macaroon)) return macaroon
  throw strangeAnswer(exchange, 'no token')
}
