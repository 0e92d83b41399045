/** `POST /api/v2/tokens/discharge`: discharges the caveat of a login with a password, and a second factor if needed. */
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
 * Checks the caveat first, because that is cheap, and then the password. Opens the session of the root.
 * Throws {@link LoginRefused}, and `Unavailable`, in which case the attempt does not count.
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
  'The caveat id is not from a root macaroon for a password login to this service. Send the id from the root, unchanged. ' +
  'A standalone identity service accepts passwords only for the services in its RATAFIA_KNOWN_SERVICES.'

/**
 * Returns the time when the discharge expires, always before its session: one that expires with it does not
 * count as a password discharge (`tokens/authentication`).
 */
export const dischargeEnd = (
  { until }: Pick<OpenedCaveat, 'until'>,
  now: number,
  { dischargeLifetime }: Pick<PasswordDependencies, 'dischargeLifetime'>,
): Date => new Date(Math.min(now + dischargeLifetime, until.getTime() - 1))

/**
 * Returns the recorded time of the password. A refresh must distinguish this discharge from those of an earlier account
 * with the same name, and from those before the last change of the password, which can look later than now: nodes
 * differ by up to a network delay in how far they are behind the database's clock (decision 58).
 */
const givenAt = ({ createdAt, loginsSince }: Account, now: number): Date =>
  new Date(Math.max(now, createdAt.getTime(), (loginsSince?.getTime() ?? 0) + CLOCK_MARGIN_MS + 1))

/** Checks the password, opens the session, and returns the account. */
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
  // Refuse this before asking for a second factor, because no code would help.
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
      throw new LoginRefused('TWOFACTOR_REQUIRED', 'This account has a second factor. Enter its code.')
    case 'code-wrong':
      throw new LoginRefused(
        'TWOFACTOR_FAILURE',
        'The code of the second factor is wrong, too old, or was used before.',
      )
    default:
      throw wrong()
  }
  const { account, recheck } = checked
  if (caveat.isOwn && deps.sessions) await openOnce({ account, caveat, source }, deps.sessions)
  // The password may have changed during the slow hashing.
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

/** An attempt fails if the account has changed, or the session is open already. */
const ATTEMPTS = 10

/** Opens the session, if it is not open yet. The same user can discharge one root several times, for one session. */
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
      'The root macaroon belongs to a login that can no longer be used. Start a new login.',
    )
  }
  throw new Unavailable('The account of a login kept changing')
}

const wrong = () => new LoginRefused('INVALID_CREDENTIALS', 'The name or the password is wrong.')

const suspended = () =>
  new LoginRefused(
    'ACCOUNT_SUSPENDED',
    'This account is disabled. Ask the operator of this service to enable it.',
  )

function throttled(waitMs: number): LoginRefused {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const when = seconds === 1 ? 'in a second' : `in ${seconds} seconds`
  const message = `Too many logins with this name or from this network failed. Try again ${when}.`
  return new LoginRefused('TOO_MANY_REQUESTS', message, { waitMs })
}
