/**
 * The condition that a password login discharges. It is sealed to the identity service in the root's
 * third-party caveat. Nothing is stored for a root, so the discharge learns from it which session it opens
 * (contract/publisher-login.md, decisions 7, 9 and 10).
 */
import { isSessionId, type SessionId } from '@ratafia/api'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import { limitsIn, textOfLimits } from './recorded-limits.ts'

export interface LoginCaveat {
  /** The location of the caveat and its discharge, a label that clients compare. */
  readonly location: string
  /** The property of the account that the discharge declares. */
  readonly declare: 'userid' | 'username'
  readonly session: SessionId
  readonly since: Date
  readonly until: Date
  readonly description: string | undefined
  /** The limits of the root, for the record of its session. Undefined if they do not fit or are not known. */
  readonly limits: Attenuations | undefined
}

const NAME = 'is-login-of-session'

/**
 * The limit of a description in JSON text, because a version 1 caveat id has at most 3 KiB and needs up to
 * two bytes for each byte of it. A longer description is shortened.
 */
const MAX_DESCRIPTION_BYTES = 800
/** The limit of a description with the root's limits. Longer limits are left out. */
const MAX_BYTES_WITH_LIMITS = 1_000

export function formatLoginCaveat({
  location,
  declare,
  session,
  since,
  until,
  description,
  limits,
}: LoginCaveat): string {
  const text = description === undefined ? null : shortened(description)
  const recorded = limits && textOfLimits(limits)
  const wire: Wire = {
    location,
    declare,
    session,
    since: since.getTime(),
    until: until.getTime(),
    description: text,
    // This is an object instead of a string, so that its quotes are not escaped twice.
    ...(recorded !== undefined && fits(recorded, text) && { limits: JSON.parse(recorded) }),
  }
  return `${NAME} ${JSON.stringify(wire)}`
}

/** Parses the condition. Returns undefined for any other one. */
export function parseLoginCaveat(condition: string): LoginCaveat | undefined {
  if (!condition.startsWith(`${NAME} `)) return undefined
  const wire = parseWire(condition.slice(NAME.length + 1))
  if (!wire) return undefined
  const { location, declare, session, since, until, description } = wire
  return {
    location,
    declare,
    session,
    since: new Date(since),
    until: new Date(until),
    description: description ?? undefined,
    limits: wire.limits === undefined ? undefined : limitsIn(JSON.stringify(wire.limits)),
  }
}

interface Wire {
  readonly location: string
  readonly declare: 'userid' | 'username'
  readonly session: SessionId
  /** When it begins, in milliseconds since 1970, like `until`. */
  readonly since: number
  readonly until: number
  readonly description: string | null
  /** The limits in the form of `recorded-limits.ts`. Older releases ignore this field. */
  readonly limits?: unknown
}

/** Parses and checks the JSON text. Anyone can seal a caveat to this service, so it can contain anything. */
function parseWire(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isWire(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The latest time that a `Date` can represent. */
const MAX_TIME = 8.64e15
const isTime = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TIME

function isWire(value: unknown): value is Wire {
  if (typeof value !== 'object' || value === null) return false
  const { location, declare, session, since, until, description } = value as Partial<
    Record<keyof Wire, unknown>
  >
  return (
    typeof location === 'string' &&
    /^[!-~]{1,255}$/.test(location) &&
    (declare === 'userid' || declare === 'username') &&
    typeof session === 'string' &&
    isSessionId(session) &&
    isTime(since) &&
    isTime(until) &&
    (description === null || (typeof description === 'string' && description.length <= 512))
  )
}

function shortened(text: string): string {
  if (sizeOf(text) <= MAX_DESCRIPTION_BYTES) return text
  const characters = [...text]
  while (sizeOf(`${characters.join('')}…`) > MAX_DESCRIPTION_BYTES) characters.length -= 8
  return `${characters.join('')}…`
}

const fits = (limits: string, description: string | null): boolean =>
  Buffer.byteLength(JSON.stringify(limits)) + sizeOf(description ?? '') <= MAX_BYTES_WITH_LIMITS

/** Returns the size of the text in JSON inside JSON, as it is sealed. */
const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(JSON.stringify(text)))
