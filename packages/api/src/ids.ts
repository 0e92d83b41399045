/** Ids on the wire: a branded type and a guard for each, and a generator for those that the service creates. */
import { randomInt, randomUUID } from 'node:crypto'
import { v7, validate } from 'uuid'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** A store account id: 32 letters and digits. */
export type AccountId = Branded<'AccountId'>
const ACCOUNT_ID = /^[A-Za-z0-9]{32}$/
export const isAccountId = (text: string): text is AccountId => ACCOUNT_ID.test(text)

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Creates an account id: 190 bits from the platform's random source. */
export function newAccountId(): AccountId {
  // randomInt has no modulo bias. The cast is safe: alphabet and length match the pattern.
  return Array.from({ length: 32 }, () => LETTERS_AND_DIGITS[randomInt(62)]).join('') as AccountId
}

/** The id of a token's session. We create UUIDs v4, but when read it is an opaque text of up to 64 characters. */
export type SessionId = Branded<'SessionId'>
const SESSION_ID = /^[A-Za-z0-9._:-]{1,64}$/
export const isSessionId = (text: string): text is SessionId => SESSION_ID.test(text)
export const newSessionId = (): SessionId => randomUUID() as string as SessionId

/** A store username: 2 to 28 of `a-z0-9-`, with a letter or digit at both ends and no two dashes together. */
export type Username = Branded<'Username'>
const USERNAME = /^(?=.{2,28}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
export const isUsername = (text: string): text is Username => USERNAME.test(text)

let made = 0

/**
 * Returns a UUID v7 of this instant, which the caller's clock gives: a machine's own may be wrong. Within one
 * process, the ids of one millisecond sort in the order of their creation.
 */
function uuidOf(at: Date): string {
  made = (made + 1) % 2 ** 32
  return v7({ msecs: at.getTime(), seq: made })
}

/** The id of a device in the register: a UUID v7, so that ids sort by time of creation. */
export type DeviceId = Branded<'DeviceId'>
export const isDeviceId = (text: string): text is DeviceId => validate(text)
export const newDeviceId = (at: Date): DeviceId => uuidOf(at) as DeviceId

/** The id of a job of the management API: a UUID v7. */
export const newJobId = (at: Date): string => uuidOf(at)

/** The id of a device's session: a UUID v7. A chain of sessions has the id of its first, so chains also sort by age. */
export type DeviceSessionId = Branded<'DeviceSessionId'>
export const isDeviceSessionId = (text: string): text is DeviceSessionId => validate(text)
export const newDeviceSessionId = (at: Date): DeviceSessionId => uuidOf(at) as DeviceSessionId

/** The id of an audit log entry: a UUID v7 of its instant, so that ids sort by time. */
export type AuditEntryId = Branded<'AuditEntryId'>
export const isAuditEntryId = (text: string): text is AuditEntryId => validate(text)

export const newAuditEntryId = (at: Date): AuditEntryId => uuidOf(at) as AuditEntryId

/** Returns a string that sorts before every id from that instant on, and after all earlier ones. */
export function firstAuditEntryIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
