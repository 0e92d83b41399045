/**
 * Clears the conditions of a verified slice: who logged in, and when does the login expire? The macaroon
 * package verifies the caveats' authors, and this file interprets the caveats, except those that limit the
 * holder's permissions: each kind of token has its own. No I/O.
 */
import { isSessionId, type SessionId } from '@ratafia/api'
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import { ConditionError, parseDeclared, parseTimestamp, splitCondition } from '@ratafia/macaroon/conditions'
import { LOGIN_KEY, type LoginMark, parseLoginMark } from '../../accounts/ended-logins/login-mark.ts'
import { quote, RequestError, unauthorized } from '../../errors.ts'
import { GIVEN_CAVEAT } from '../../third-party/discharge-macaroon.ts'
import { SIGNED_IN_KEY } from '../../third-party/signed-in.ts'
import { IDENTITY_CAVEAT, type IdentityKey, OWN_CAVEATS } from '../root-macaroon.ts'

export interface ClearedLogin {
  readonly sessionId: SessionId
  /** The person, as the identity service declared them under the requested key. */
  readonly subject: string
  /** The userid that a root's discharge declares, if any. */
  readonly userid: string | undefined
  /** The username that the identity service declared, if any. It can name a new account, but proves nothing. */
  readonly username: string | undefined
  readonly since: Date
  /** The earliest expiry of all, including the discharge's. */
  readonly expires: Date
  /** The earliest expiry, ignoring the discharge's own. An exchanged token gets this one. */
  readonly sessionExpires: Date
  /** The expiry it was minted with, before its holder added any. No copy lives longer. */
  readonly mintedExpires: Date
  /** The mark in a root's discharge, which shows when it was given. */
  readonly mark: LoginMark | undefined
  /** When the password was given, if a root's discharge contains this. */
  readonly givenAt: Date | undefined
  /** When a root's discharge expires, by the identity service's own caveat. */
  readonly dischargeExpires: Date | undefined
  /**
   * How the user signed in, for a root, in the form of `signed-in.ts`. Empty if the identity service did not
   * declare it.
   */
  readonly signedIn: string
}

interface Where {
  /** Whether this service minted the caveat. */
  readonly own: boolean
  /** Whether this is the caveat of a password login that records when the password was given. */
  readonly given: boolean
  /**
   * Whether the caveat can identify the person: one of a token's own, or any in the discharge of a root's own caveat.
   */
  readonly identity: boolean
}

interface State {
  sessionId: SessionId | undefined
  since: Date | undefined
  givenAt: Date | undefined
  dischargeExpires: Date | undefined
  sessionExpires: Date | undefined
  mintedExpires: Date | undefined
  /** Every declared value, by key. */
  readonly declared: Map<string, Set<string>>
  /** The values that the identity service declared, which come before its time-before. */
  readonly vouched: Map<string, Set<string>>
  readonly now: Date
}

type Rule = (argument: string, where: Where, state: State) => void

const earlier = (a: Date | undefined, b: Date): Date => (a === undefined || b < a ? b : a)

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'time-before',
    (argument, where, state) => {
      const end = parseTimestamp(argument)
      if (where.own) state.mintedExpires = end
      // The first expiry in the discharge is the identity service's: it limits the use of the discharge, but
      // not the session. The holder added any later one, and those limit the session (decision 2).
      if (where.identity && !where.own && state.dischargeExpires === undefined) state.dischargeExpires = end
      else state.sessionExpires = earlier(state.sessionExpires, end)
    },
  ],
  [
    'time-since',
    (argument, where, state) => {
      const start = parseTimestamp(argument)
      // Our own only records when the macaroon was minted. It is not enforced, because this node's reading of
      // the database's clock can be a network delay behind that of the node that minted it (decision 58).
      if (where.own) state.since = start
      // The identity service's own only records when the password was given. Any other is a limit that a holder set.
      else if (where.given) state.givenAt = start
      else if (state.now < start)
        throw unauthorized(`The macaroon is not valid before ${start.toISOString()}.`)
    },
  ],
  [
    'session-id',
    (argument, where, state) => {
      if (where.own && isSessionId(argument)) state.sessionId = argument
      else if (argument !== state.sessionId) throw unauthorized('The macaroon names two sessions.')
    },
  ],
  [
    'declared',
    (argument, where, state) => {
      const { key, value } = parseDeclared(argument)
      addTo(state.declared, key, value)
      // The identity service's own caveats end with a time-before. Any later one can be the holder's, who
      // could otherwise choose an identity if the service did not declare one.
      if (where.identity && state.dischargeExpires === undefined) addTo(state.vouched, key, value)
    },
  ],
  [
    'error',
    (argument) => {
      throw unauthorized(`The macaroon has a caveat that refuses it: ${quote(argument)}.`)
    },
  ],
])

/** The kinds of macaroons that identify a person or program: tokens, and the roots exchanged for them. */
export type LoginKind = 'token' | 'token-root' | 'management-token' | 'management-root'

export const isRoot = (kind: LoginKind): boolean => kind.endsWith('-root')

export interface Clearing {
  readonly kind: LoginKind
  /** Whether this is a password login: a version 1 root, whose identifier is text. */
  readonly withPassword: boolean
  readonly identityKey: IdentityKey
  readonly now: Date
}

/** The condition that limits the holder's permissions, and a function that collects each of them. */
export interface LimitRule {
  readonly name: string
  /** Throws `ConditionError` for an argument that it cannot read. */
  readonly take: (argument: string, where: Where) => void
}

/**
 * Clears all conditions. Throws {@link RequestError} `macaroon-caveat-unknown` for a condition without a
 * rule, and `macaroon-authorization-required` for any other that is not met. The caller checks the expiry,
 * because a revocation must be reported first. It also computes the effective limits, last, so that nothing
 * is compared for a macaroon that is refused anyway.
 */
export function clearLogin(
  slice: UnverifiedSlice,
  conditions: readonly VerifiedCondition[],
  { kind, withPassword, identityKey, now }: Clearing,
  limits: LimitRule,
): ClearedLogin {
  const state: State = {
    sessionId: undefined,
    since: undefined,
    givenAt: undefined,
    dischargeExpires: undefined,
    sessionExpires: undefined,
    mintedExpires: undefined,
    declared: new Map(),
    vouched: new Map(),
    now,
  }
  const answer = isRoot(kind) ? dischargeOfOurCaveat(slice) : undefined
  for (const { condition, macaroon, caveat } of conditions) {
    const own = macaroon === 0 && caveat < OWN_CAVEATS
    const identity = isRoot(kind) ? macaroon === answer : own && caveat === IDENTITY_CAVEAT
    const given = withPassword && identity && caveat === GIVEN_CAVEAT
    apply(condition, { own, identity, given }, state, limits)
  }
  refuseContradictions(state.declared)
  const { sessionId, since, givenAt, sessionExpires, mintedExpires, dischargeExpires } = state
  const [subject] = state.vouched.get(identityKey) ?? []
  const [userid] = state.vouched.get('userid') ?? []
  const [username] = state.vouched.get('username') ?? []
  const [login = ''] = state.vouched.get(LOGIN_KEY) ?? []
  const [signedIn = ''] = state.vouched.get(SIGNED_IN_KEY) ?? []
  if (!subject)
    throw unauthorized(
      `The identity service did not declare ${identityKey}, so this service does not know who you are. Log in again, and tell the operator if this happens again.`,
    )
  if (!sessionId || !since || !sessionExpires || !mintedExpires)
    throw new Error('a macaroon of ours lacks a caveat it is minted with')
  const expires = dischargeExpires ? earlier(dischargeExpires, sessionExpires) : sessionExpires
  const mark = parseLoginMark(login)
  return {
    sessionId,
    subject,
    userid,
    username,
    since,
    expires,
    sessionExpires,
    mintedExpires,
    mark,
    givenAt,
    dischargeExpires,
    signedIn,
  }
}

function apply(condition: string, where: Where, state: State, limits: LimitRule): void {
  readable(condition, () => {
    const { name, argument } = splitCondition(condition)
    if (name === limits.name) return limits.take(argument, where)
    const rule = RULES.get(name)
    if (rule) return rule(argument, where, state)
    throw new RequestError(
      'macaroon-caveat-unknown',
      `The macaroon has a caveat this service does not know: ${quote(condition)}.`,
      { extra: { caveat: condition.slice(0, 256) } },
    )
  })
}

/** Returns what `read` returns, and turns its `ConditionError` into a refusal. */
export function readable<T>(condition: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error
    if (error.code === 'limit-exceeded') throw new RequestError('limit-exceeded', `${error.message}.`)
    throw unauthorized(
      `The macaroon has a caveat that cannot be read, ${quote(condition)}. ${error.message}.`,
    )
  }
}

/** Returns the position of the discharge of our caveat. A verified slice has one. */
function dischargeOfOurCaveat(slice: UnverifiedSlice): number {
  const ours = slice[0].caveats[IDENTITY_CAVEAT]
  if (!ours) throw new Error('a root of ours lacks its third-party caveat')
  return slice.findIndex((macaroon, index) => index > 0 && Buffer.compare(macaroon.id, ours.id) === 0)
}

/** Refuses two values for one key. Any holder can append `declared`, so this means that one tried. */
function refuseContradictions(declared: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [key, values] of declared) {
    if (values.size > 1) throw unauthorized(`The macaroon declares more than one ${quote(key)}.`)
  }
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key)
  if (values) values.add(value)
  else map.set(key, new Set([value]))
}
