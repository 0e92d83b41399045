/**
 * Clears the conditions of a verified slice: what may the holder do, until when, as whom? The macaroon package verifies
 * who wrote the caveats; this file decides what they mean. No I/O.
 */
import { isPermission, isSessionId, type SessionId } from '@ratafia/api'
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import {
  type Attenuations,
  ConditionError,
  intersectAttenuations,
  type PatternBudget,
  parseDeclared,
  parseExtra,
  parseTimestamp,
  splitCondition,
  UNRESTRICTED,
} from '@ratafia/macaroon/conditions'
import { LOGIN_KEY, type LoginMark, parseLoginMark } from '../../accounts/ended-logins/login-mark.ts'
import { quote, RequestError, unauthorized } from '../../errors.ts'
import { GIVEN_CAVEAT } from '../../identity/passwords/discharge-macaroon.ts'
import { IDENTITY_CAVEAT, type IdentityKey, OWN_CAVEATS } from '../root-macaroon.ts'

export interface Cleared {
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
  /** The intersection of every `extra`. */
  readonly attenuations: Attenuations
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
  readonly extras: Attenuations[]
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
    'extra',
    // Their intersection comes last: nothing is compared for a macaroon that is refused anyway.
    (argument, _where, state) => void state.extras.push(parseExtra(argument)),
  ],
  [
    'error',
    (argument) => {
      throw unauthorized(`The macaroon has a caveat that refuses it: ${quote(argument)}.`)
    },
  ],
])

interface Clearing {
  readonly kind: 'token' | 'token-root'
  /** Of a login with a password: a root of version 1, whose identifier is text. */
  readonly withPassword: boolean
  readonly identityKey: IdentityKey
  readonly now: Date
  /** What comparing the channels of this request's macaroons may still cost. */
  readonly patterns: PatternBudget
}

/**
 * Throws {@link RequestError}: `macaroon-caveat-unknown` for a condition no rule knows,
 * `macaroon-authorization-required` for any other that is not met. The caller checks the expiry: a revocation, if there
 * was one, is to be reported first.
 */
export function clear(
  slice: UnverifiedSlice,
  conditions: readonly VerifiedCondition[],
  { kind, withPassword, identityKey, now, patterns }: Clearing,
): Cleared {
  const state: State = {
    sessionId: undefined,
    since: undefined,
    givenAt: undefined,
    dischargeExpires: undefined,
    sessionExpires: undefined,
    mintedExpires: undefined,
    declared: new Map(),
    vouched: new Map(),
    extras: [],
    now,
  }
  const answer = kind === 'token-root' ? dischargeOfOurCaveat(slice) : undefined
  for (const { condition, macaroon, caveat } of conditions) {
    const own = macaroon === 0 && caveat < OWN_CAVEATS
    const identity = kind === 'token' ? own && caveat === IDENTITY_CAVEAT : macaroon === answer
    const given = withPassword && identity && caveat === GIVEN_CAVEAT
    apply(condition, { own, identity, given }, state)
  }
  refuseContradictions(state.declared)
  const { sessionId, since, givenAt, sessionExpires, mintedExpires, dischargeExpires } = state
  const [subject] = state.vouched.get(identityKey) ?? []
  const [userid] = state.vouched.get('userid') ?? []
  const [username] = state.vouched.get('username') ?? []
  const [login = ''] = state.vouched.get(LOGIN_KEY) ?? []
  if (!subject)
    throw unauthorized(`The identity service did not say who you are (it declared no ${identityKey}).`)
  if (!sessionId || !since || !sessionExpires || !mintedExpires)
    throw new Error('a macaroon of ours lacks a caveat it is minted with')
  const limits = readable('extra', () =>
    state.extras.reduce((all, one) => intersectAttenuations(all, one, patterns), UNRESTRICTED),
  )
  // A holder may write anything there; a text that is not one of our permissions permits nothing.
  const attenuations = limits.permissions
    ? { ...limits, permissions: limits.permissions.filter(isPermission) }
    : limits
  refuseNothing(attenuations)
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
    attenuations,
  }
}

function apply(condition: string, where: Where, state: State): void {
  readable(condition, () => {
    const { name, argument } = splitCondition(condition)
    const rule = RULES.get(name)
    if (rule) return rule(argument, where, state)
    throw new RequestError(
      'macaroon-caveat-unknown',
      `The macaroon has a caveat this service does not know: ${quote(condition)}.`,
      { extra: { caveat: condition.slice(0, 256) } },
    )
  })
}

function readable<T>(condition: string, read: () => T): T {
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

/** Limits that exclude each other permit nothing, which the answers could only show as "no limit". */
function refuseNothing({ storeIds, ...others }: Attenuations): void {
  const lists: Readonly<Record<string, readonly string[] | null>> = { ...others, store_ids: storeIds }
  for (const [name, values] of Object.entries(lists)) {
    if (values?.length === 0) {
      throw unauthorized(
        `The macaroon's limits exclude each other: no ${name} are left. Use one with fewer caveats.`,
      )
    }
  }
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key)
  if (values) values.add(value)
  else map.set(key, new Set([value]))
}
