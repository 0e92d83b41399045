/** `POST /api/v2/tokens/discharge`: a password, and perhaps a second factor, discharge the caveat of a login. */
import type { PasswordDischargeRequest, PasswordDischargeResponse } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../accounts/account.ts'
import { CLOCK_MARGIN_MS } from '../../accounts/ended-logins/refuse-ended-login.ts'
import { Unavailable } from '../../errors.ts'
import { mintDischarge } from '../../third-party/discharge-macaroon.ts'
import { textOfLimits } from '../../third-party/recorded-limits.ts'
import { openSession, type SessionOpening } from '../../tokens/open-session.ts'
import { checkCredentials } from '../logins/check-credentials.ts'
import { invalidData, LoginRefused, OF_ACCOUNT, passwordLoginOff } from './login-refused.ts'
import { type OpenedCaveat, openLoginCaveat, type PasswordDependencies } from './open-caveat.ts'

/**
 * Looks at the caveat first, because that costs nothing, and then at the password. The session of the root is open
 * afterwards. Throws {@link LoginRefused}, and `Unavailable`: then the attempt does not count.
 */
export async function dischargeWithPassword(
  request: PasswordDischargeRequest,
  source: string,
  deps: PasswordDependencies,
): Promise<PasswordDischargeResponse> {
  if (!deps.enabled) throw passwordLoginOff()
  const id = Buffer.from(request.caveat_id.trim())
  const caveat = await openLoginCaveat(id, deps)
  if (!caveat) throw invalidData('caveat_id', NOT_OURS)
  if (caveat.until <= deps.clock())
    throw invalidData('caveat_id', 'The root macaroon of this caveat has expired.')

  const account = await loggedIn(request, caveat, source, deps)
  const now = deps.clock().getTime()
  const discharge = mintDischarge({
    rootKey: caveat.rootKey,
    id,
    location: caveat.location,
    declared: { key: caveat.declare, value: caveat.declare === 'userid' ? account.id : account.username },
    expires: dischargeEnd(caveat, now, deps),
    givenAt: givenAt(account, now),
  })
  return { discharge_macaroon: encodeBase64Url(encodeBinary(discharge)) }
}

const NOT_OURS =
  'The caveat id is not that of a login with a password to this service. Send the one of the root macaroon, unchanged. ' +
  'An identity service that runs alone takes passwords only for the services in its RATAFIA_KNOWN_SERVICES.'

/** Shorter than the session: one that lasts as long is no discharge of a password (`tokens/authentication`). */
export const dischargeEnd = (
  { until }: Pick<OpenedCaveat, 'until'>,
  now: number,
  { dischargeLifetime }: Pick<PasswordDependencies, 'dischargeLifetime'>,
): Date => new Date(Math.min(now + dischargeLifetime, until.getTime() - 1))

/**
 * A refresh must tell it from those of an account that had the name before, and from those before the last change of the
 * password, which another node's clock may put later than now.
 */
const givenAt = ({ createdAt, loginsSince }: Account, now: number): Date =>
  new Date(Math.max(now, createdAt.getTime(), (loginsSince?.getTime() ?? 0) + CLOCK_MARGIN_MS + 1))

/** Whose password it is, with the session open. */
async function loggedIn(
  { email, password, otp }: PasswordDischargeRequest,
  caveat: OpenedCaveat,
  source: string,
  deps: PasswordDependencies,
): Promise<Account> {
  const code = otp ?? undefined
  const checked = await checkCredentials(
    { name: email, password, code: code === '' ? undefined : code, address: source },
    deps,
  )
  // Before a second factor is asked for: no code would help.
  if ('account' in checked && checked.account.passwordLoginsOffAt) {
    throw passwordLoginOff(OF_ACCOUNT)
  }
  switch (checked.verdict) {
    case 'right':
      break
    case 'throttled':
      throw throttled(checked.retryAt.getTime() - deps.clock().getTime())
    case 'disabled':
      throw suspended()
    case 'code-needed':
      throw new LoginRefused('TWOFACTOR_REQUIRED', 'This account has a second factor. Enter a code of it.')
    case 'code-wrong':
      throw new LoginRefused('TWOFACTOR_FAILURE', 'The code of the second factor is wrong, too old, or used.')
    default:
      throw wrong()
  }
  const { account, recheck } = checked
  if (caveat.isOwn && deps.sessions) await openOnce({ account, caveat, source }, deps.sessions)
  // Hashing takes long: meanwhile the password may have changed.
  const now = await recheck()
  if (now === 'disabled') throw suspended()
  if (now === 'wrong') throw wrong()
  return account
}

interface Login {
  readonly account: Account
  readonly caveat: OpenedCaveat
  readonly source: string
}

/** Each lost attempt means that the account has changed, or that the session is open. */
const ATTEMPTS = 10

/** The same person may discharge one root several times, for one session. */
async function openOnce({ account, caveat, source }: Login, opening: SessionOpening): Promise<void> {
  const { session: id, since, until, description, limits } = caveat
  const facts = { kind: 'developer', limits: limits && textOfLimits(limits) } as const
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const session = { id, description, since, until, account, source, facts, attempt }
    if (await openSession(session, opening)) return
    const login = await opening.logins.find({ accountId: account.id, sessionId: id })
    if (!login) throw wrong()
    if (login.account.loginsSince?.getTime() !== account.loginsSince?.getTime()) throw wrong()
    if (login.account.disabledAt) throw suspended()
    if (!login.session) continue
    if (login.session.accountId === account.id && login.session.revokedAt === undefined) return
    throw new LoginRefused(
      'INVALID_CREDENTIALS',
      'The root macaroon belongs to a login that is over. Start a new one.',
    )
  }
  throw new Unavailable('The account of a login kept changing')
}

const wrong = () => new LoginRefused('INVALID_CREDENTIALS', 'The name or the password is wrong.')

const suspended = () =>
  new LoginRefused(
    'ACCOUNT_SUSPENDED',
    'This account is disabled. Ask the operator of this store to enable it.',
  )

function throttled(waitMs: number): LoginRefused {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const when = seconds === 1 ? 'in a second' : `in ${seconds} seconds`
  const message = `Too many logins with this name or from this network failed. Try again ${when}.`
  return new LoginRefused('TOO_MANY_REQUESTS', message, { waitMs })
}
