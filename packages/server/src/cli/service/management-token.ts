/** Gets a management token of a service: its root, the discharge by a login, the exchange. */
import { MANAGEMENT_PREFIX } from '@ratafia/api/management'
import type { Role } from '@ratafia/api/roles'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { askFor, strangeAnswer, withJson } from '../login/ask.ts'
import { dischargedRoot, type LogIn } from '../login/discharge.ts'

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
  const place = `${url}${MANAGEMENT_PREFIX}/tokens/root`
  const { macaroon: root } = await askFor(place, withJson(wanted))
  const slice = await dischargedRoot(root, place, logIn)
  const exchange = `${url}${MANAGEMENT_PREFIX}/tokens/exchange`
  const { macaroon } = await askFor(exchange, withJson({}, { macaroons: formatMacaroonsHeader(slice) }))
  if (typeof macaroon === 'string' && /^[A-Za-z0-9_-]+$/.test(macaroon)) return macaroon
  throw strangeAnswer(exchange, 'no token')
}
