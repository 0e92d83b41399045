/**
 * Clears the conditions of a verified slice: what may the holder do, until when, as whom? Verifying (who wrote
 * this) is the macaroon package's; here it is about what the caveats say. No I/O.
 */
import { isPermission, isSessionId, type SessionId } from '@ratafia/api'
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import {
  type Attenuations,
  ConditionError,
  effectiveAttenuations,
  parseDeclared,
  parseExtra,
  parseTimestamp,
  splitCondition,
} from '@ratafia/macaroon/conditions'
import { RequestError, unauthorized } from '../errors.ts'
import { IDENTITY_CAVEAT, type IdentityKey, OWN_CAVEATS } from './root-macaroon.ts'

export interface Cleared {
  readonly sessionId: SessionId
  /** What the identity service declared, under the key asked for. */
  readonly subject: string
  readonly since: Date
  /** The earliest end of all, that of the discharge included. */
  readonly expires: Date
  /** The end without the life the identity service gave its discharge: what an exchanged token gets. */
  readonly sessionExpires: Date
  /** The end it was minted with, whatever its holder added: no other copy of it lives longer. */
  readonly mintedExpires: Date
  /** The intersection of every `extra`. */
  readonly attenuations: Attenuations
}

interface Where {
  /** Among the caveats the service itself minted. */
  readonly own: boolean
  /** The caveat that says who it is: in a token its own, in a root those of the discharge that answers our caveat. */
  readonly identity: boolean
}

interface State {
  sessionId: SessionId | undefined
  since: Date | undefined
  dischargeExpires: Date | undefined
  sessionExpires: Date | undefined
  mintedExpires: Date | undefined
  /** Values by key; those with authority and all. */
  readonly declared: Map<string, Set<string>>
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
      // The first limit in the discharge is how long the identity service lets the discharge itself be used; it does
      // not bound the session. Whatever comes after it was added by the holder and does.
      if (where.identity && !where.own && state.dischargeExpires === undefined) state.dischargeExpires = end
      else state.sessionExpires = earlier(state.sessionExpires, end)
    },
  ],
  [
    'time-since',
    (argument, where, state) => {
      const start = parseTimestamp(argument)
      // Our own is a record of when it was minted, perhaps by a node whose clock is ahead; a holder's is a limit.
      if (where.own) state.since = start
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
      if (where.identity) addTo(state.vouched, key, value)
    },
  ],
  [
    'extra',
    // Only its form: what they permit together is computed once, with one bound on the work.
    (argument) => void parseExtra(argument),
  ],
  [
    'error',
    (argument) => {
      throw unauthorized(`The macaroon was given a caveat that refuses it: ${argument}`)
    },
  ],
])

/**
 * Throws {@link RequestError}: `macaroon-caveat-unknown` for a condition no rule knows,
 * `macaroon-authorization-required` for everything else that does not hold but the time, which is the caller's to
 * judge: it may have something to say first (that it was revoked).
 */
export function clear(
  slice: UnverifiedSlice,
  conditions: readonly VerifiedCondition[],
  { kind, identityKey, now }: { kind: 'token' | 'token-root'; identityKey: IdentityKey; now: Date },
): Cleared {
  const state: State = {
    sessionId: undefined,
    since: undefined,
    dischargeExpires: undefined,
    sessionExpires: undefined,
    mintedExpires: undefined,
    declared: new Map(),
    vouched: new Map(),
    now,
  }
  const answer = kind === 'token-root' ? dischargeOfOurCaveat(slice) : undefined
  for (const { condition, macaroon, caveat } of conditions) {
    const own = macaroon === 0 && caveat < OWN_CAVEATS
    const identity = kind === 'token' ? own && caveat === IDENTITY_CAVEAT : macaroon === answer
    apply(condition, { own, identity }, state)
  }
  refuseContradictions(state.declared)
  const { sessionId, since, sessionExpires, mintedExpires, dischargeExpires } = state
  const [subject] = state.vouched.get(identityKey) ?? []
  if (!subject)
    throw unauthorized(`The identity service did not say who you are (it declared no ${identityKey}).`)
  if (!sessionId || !since || !sessionExpires || !mintedExpires)
    throw new Error('a macaroon of ours lacks a caveat it is minted with')
  const limits = readable('extra', () => effectiveAttenuations(conditions.map(({ condition }) => condition)))
  // A holder may write anything there; what is no permission of this service permits nothing.
  const attenuations = { ...limits, permissions: limits.permissions?.filter(isPermission) ?? null }
  refuseNothing(attenuations)
  const expires = dischargeExpires ? earlier(dischargeExpires, sessionExpires) : sessionExpires
  return { sessionId, subject, since, expires, sessionExpires, mintedExpires, attenuations }
}

function apply(condition: string, where: Where, state: State): void {
  const { name, argument } = readable(condition, () => splitCondition(condition))
  const rule = RULES.get(name)
  if (!rule) {
    throw new RequestError(
      'macaroon-caveat-unknown',
      `The macaroon has a caveat this service does not know: ${quote(condition)}.`,
      { extra: { caveat: condition.slice(0, 256) } },
    )
  }
  readable(condition, () => rule(argument, where, state))
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

/** The position in the slice of the discharge that answers the caveat we minted. Verified slices have one. */
function dischargeOfOurCaveat(slice: UnverifiedSlice): number {
  const ours = slice[0].caveats[IDENTITY_CAVEAT]
  if (!ours) throw new Error('a root of ours lacks its third-party caveat')
  return slice.findIndex((macaroon, index) => index > 0 && Buffer.compare(macaroon.id, ours.id) === 0)
}

/** Whoever holds a macaroon can append `declared`: two values for one key mean that somebody tried. */
function refuseContradictions(declared: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [key, values] of declared) {
    if (values.size > 1) throw unauthorized(`The macaroon declares more than one ${quote(key)}.`)
  }
}

/** Limits that exclude each other permit nothing; "no limit" is how the answers would have to show that. */
function refuseNothing(attenuations: Attenuations): void {
  for (const [name, values] of Object.entries(attenuations) as [string, readonly string[] | null][]) {
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

const quote = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
