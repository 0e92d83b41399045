/**
 * Clears the conditions of a verified slice: until when, and as whom? The macaroon package verifies who wrote the
 * caveats; this file decides what they mean, but for the limits of what its holder may do, which each kind of token has
 * in words of its own. No I/O.
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
  /** Who it is: what the identity service declared under the requested key. */
  readonly subject: string
  /** Of a root: the userid that the identity service declared, if it did. */
  readonly userid: string | undefined
  /** What the identity service declared as the username, if anything. It may name a new account; it proves nothing. */
  readonly username: string | undefined
  readonly since: Date
  /** The earliest end of all, including the discharge's. */
  readonly expires: Date
  /** The earliest end without the discharge's own: an exchanged token gets this one. */
  readonly sessionExpires: Date
  /** The end it was minted with, before its holder added any: no copy lives longer. */
  readonly mintedExpires: Date
  /** Of a root: what the identity service declared about when it gave the discharge. */
  readonly mark: LoginMark | undefined
  /** Of a root whose discharge says when the password was given: that instant. */
  readonly givenAt: Date | undefined
  /** Of a root: the end of its discharge, before its holder added any. */
  readonly dischargeExpires: Date | undefined
  /** Of a root: how somebody signed in, as `signed-in.ts` has it. Empty where the identity service does not say. */
  readonly signedIn: string
}

interface Where {
  /** One of the caveats this service minted. */
  readonly own: boolean
  /** The caveat of a login with a password that says when it was given. */
  readonly given: boolean
  /** Says who the person is: in a token one of its own, for a root any in the discharge that answers our caveat. */
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
  /** Those that the identity service declared, before its time-before. */
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
      // The first end in the discharge says how long the identity service lets the discharge be used, and does not
      // limit the session. Any later one was added by the holder, and does.
      if (where.identity && !where.own && state.dischargeExpires === undefined) state.dischargeExpires = end
      else state.sessionExpires = earlier(state.sessionExpires, end)
    },
  ],
  [
    'time-since',
    (argument, where, state) => {
      const start = parseTimestamp(argument)
      // Ours records when it was minted, perhaps by a node whose clock is ahead; a holder's is a limit.
      if (where.own) state.since = start
      // So does that of a discharge.
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
      // An identity service ends what it writes with a time-before. What follows may be the holder's, who could
      // otherwise be anybody, had the service declared nobody.
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

/** Kinds of macaroons by which people and programs are told who they are: tokens, and roots to exchange for one. */
export type LoginKind = 'token' | 'token-root' | 'management-token' | 'management-root'

export const isRoot = (kind: LoginKind): boolean => kind.endsWith('-root')

export interface Clearing {
  readonly kind: LoginKind
  /** Of a login with a password: a root of version 1, whose identifier is text. */
  readonly withPassword: boolean
  readonly identityKey: IdentityKey
  readonly now: Date
}

/** The condition that limits what the holder may do, and what is to be done with each. */
export interface LimitRule {
  readonly name: string
  /** Throws `ConditionError` for what it cannot read. */
  readonly take: (argument: string, where: Where) => void
}

/**
 * Throws {@link RequestError}: `macaroon-caveat-unknown` for a condition no rule knows,
 * `macaroon-authorization-required` for any other that is not met. The caller checks the expiry: a revocation, if there
 * was one, is to be reported first. It also says what the limits come to, last: nothing is compared for a macaroon that
 * is refused anyway.
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
    throw unauthorized(`The identity service did not say who you are (it declared no ${identityKey}).`)
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

/** Turns a condition that cannot be read into a refusal. */
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

/** The position of the discharge that answers our caveat. A verified slice has one. */
function dischargeOfOurCaveat(slice: UnverifiedSlice): number {
  const ours = slice[0].caveats[IDENTITY_CAVEAT]
  if (!ours) throw new Error('a root of ours lacks its third-party caveat')
  return slice.findIndex((macaroon, index) => index > 0 && Buffer.compare(macaroon.id, ours.id) === 0)
}

/** Any holder can append `declared`: two values for one key mean that a holder tried. */
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
