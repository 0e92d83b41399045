/** `POST /api/v2/tokens/refresh`: returns a new discharge for an expired one. */
import type { PasswordDischargeResponse, RefreshRequest } from '@ratafia/api'
import {
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
  MacaroonError,
  verify,
} from '@ratafia/macaroon'
import { ConditionError } from '@ratafia/macaroon/conditions'
import type { Account } from '../../accounts/account.ts'
import { CLOCK_MARGIN_MS } from '../../accounts/ended-logins/refuse-ended-login.ts'
import { accountNamed } from '../../accounts/find.ts'
import { mintDischarge, type ReadDischarge, readDischarge } from '../../third-party/discharge-macaroon.ts'
import { dischargeEnd } from './discharge-with-password.ts'
import { LoginRefused, OF_ACCOUNT, passwordLoginOff } from './login-refused.ts'
import { type OpenedCaveat, openLoginCaveat, type PasswordDependencies } from './open-caveat.ts'

type RefreshDependencies = Omit<PasswordDependencies, 'passwords' | 'throttle'>

/**
 * Returns the same discharge with a new expiry. Its id, its location, when the password was given, and its holder's
 * caveats stay. It can be refreshed however old it is, and any number of times, because a credential in an environment
 * variable is never replaced. Writes nothing. Throws {@link LoginRefused}, always with a 401, and `Unavailable`.
 */
export async function refreshDischarge(
  { discharge_macaroon: presented }: RefreshRequest,
  deps: RefreshDependencies,
): Promise<PasswordDischargeResponse> {
  if (!deps.enabled) throw passwordLoginOff()
  const discharge = decode(presented)
  const caveat = await openLoginCaveat(discharge.id, deps)
  if (!caveat) throw refused('It is not from this service, or not for a service that this one knows.')
  const read = verified(discharge, caveat)
  await requireLogin(read, caveat, deps)
  const { declared, givenAt, added } = read
  const fresh = mintDischarge({
    rootKey: caveat.rootKey,
    id: discharge.id,
    location: caveat.location,
    expires: dischargeEnd(caveat, deps.clock().getTime(), deps),
    declared,
    givenAt,
    added,
  })
  return { discharge_macaroon: encodeBase64Url(encodeBinary(fresh)) }
}

function decode(presented: string): Macaroon {
  try {
    const [discharge, ...more] = decodeBinary(decodeBase64(presented.trim()))
    if (discharge && more.length === 0) return discharge
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
  }
  throw refused('It is not a single macaroon in base64.')
}

/** Verifies the discharge and returns its content. */
function verified(discharge: Macaroon, { rootKey }: OpenedCaveat): ReadDischarge {
  try {
    const read = readDischarge(verify([discharge], rootKey).map(({ condition }) => condition))
    if (read) return read
  } catch (error) {
    if (!(error instanceof MacaroonError || error instanceof ConditionError)) throw error
  }
  throw refused('It was changed, or is bound to its root. Send it as the login returned it.')
}

/**
 * Throws if the login can no longer be used. The message explains why only if the discharge is for this
 * service, because then only its user can have it. Another service can sign a discharge for any account, so
 * it gets the same text whatever is wrong.
 */
async function requireLogin(
  read: ReadDischarge,
  caveat: OpenedCaveat,
  deps: RefreshDependencies,
): Promise<void> {
  try {
    await requireUsable(read, caveat, deps)
  } catch (error) {
    if (caveat.isOwn || !(error instanceof LoginRefused)) throw error
    throw refused('Its login has expired or is revoked, or its account cannot log in.')
  }
}

async function requireUsable(
  { declared, givenAt }: ReadDischarge,
  { session: sessionId, declare, isOwn, until }: OpenedCaveat,
  { accounts, sessions, clock }: RefreshDependencies,
): Promise<void> {
  const account = declared.key === declare ? await accountNamed(declared.value, accounts) : undefined
  if (!account || account.disabledAt) throw refused('Its account cannot log in.')
  if (account.passwordLoginsOffAt) throw passwordLoginOff(OF_ACCOUNT)
  // Another account can have the username now.
  if (account.createdAt > givenAt) throw refused('Its account no longer exists.')
  if (isEarlier(givenAt, account)) throw refused('Its login is no longer valid.')
  if (until <= clock()) throw refused('Its session has expired.')
  if (!isOwn || !sessions) return
  const session = (await sessions.logins.find({ accountId: account.id, sessionId }))?.session
  if (session?.accountId !== account.id || session.revokedAt !== undefined)
    throw refused('Its session was revoked.')
}

const isEarlier = (givenAt: Date, { loginsSince }: Account): boolean =>
  loginsSince !== undefined && givenAt.getTime() <= loginsSince.getTime() + CLOCK_MARGIN_MS

const refused = (why: string): LoginRefused =>
  new LoginRefused('INVALID_CREDENTIALS', `The discharge cannot be refreshed. ${why} Log in again.`)
