/**
 * The macaroon of a device session: its caveats and their order (contract/devices.md, decision 7).
 *
 *   brand-id B · model M · serial S · (store X) · device-key-sha3-384 K · time-since T0 · time-before T1 · session-id I
 *
 * Its identifier is stored with the session, so that a repeated request gets the same macaroon again. Its holder can
 * append caveats; the service accepts only repetitions that keep or narrow what the macaroon says.
 */
import { type DeviceSessionId, isDeviceSessionId } from '@ratafia/api'
import {
  addFirstPartyCaveat,
  encodeBase64Url,
  encodeBinary,
  mint,
  type VerifiedCondition,
} from '@ratafia/macaroon'
import {
  ConditionError,
  formatTimeBefore,
  formatTimeSince,
  parseTimestamp,
  splitCondition,
} from '@ratafia/macaroon/conditions'
import type { Device } from '../device.ts'

/** The device that a session belongs to, and how long the session is valid. */
interface SessionFacts extends Pick<Device, 'brandId' | 'model' | 'serial' | 'deviceKeyId'> {
  /** The model's store; undefined if it has none. */
  readonly store: string | undefined
  readonly since: Date
  readonly until: Date
  readonly sessionId: DeviceSessionId
}

interface MintInput {
  readonly id: Uint8Array
  readonly rootKey: Uint8Array
  /** The host of the base URL. */
  readonly location: string
}

/** Returns the unpadded base64url of its binary form. The same input gives the same text. */
export function mintSession(facts: SessionFacts, input: MintInput): string {
  const conditions = [
    `brand-id ${facts.brandId}`,
    `model ${facts.model}`,
    `serial ${facts.serial}`,
    ...(facts.store === undefined ? [] : [`store ${facts.store}`]),
    `device-key-sha3-384 ${facts.deviceKeyId}`,
    formatTimeSince(facts.since),
    formatTimeBefore(facts.until),
    `session-id ${facts.sessionId}`,
  ]
  return encodeBase64Url(encodeBinary(conditions.reduce(addFirstPartyCaveat, mint(input))))
}

/** The contents of a session macaroon, including caveats that its holder added. */
export interface ClearedSession extends SessionFacts {
  /** When the session begins, if the holder delayed it. */
  readonly notBefore: Date | undefined
}

/** The caveats of every session: all except `store`. */
const OWN = ['brand-id', 'model', 'serial', 'device-key-sha3-384', 'time-since', 'time-before', 'session-id']
const KNOWN: ReadonlySet<string> = new Set([...OWN, 'store'])
const TIMES: ReadonlySet<string> = new Set(['time-since', 'time-before'])

/**
 * Reads the conditions of a verified macaroon of the kind `device-session`. Throws {@link ConditionError} for an
 * unknown condition, and for a repeated one with a different value. The caller compares the times with the clock.
 */
export function clearSession(conditions: readonly VerifiedCondition[]): ClearedSession {
  const own = new Map<string, string>()
  let until = new Date(8.64e15)
  let notBefore: Date | undefined
  for (const { condition } of conditions) {
    const { name, argument } = splitCondition(condition)
    if (!KNOWN.has(name)) throw unknown(name)
    const first = own.get(name)
    // The service's own caveats come first, up to `session-id`. The holder added all later ones.
    const added = own.has('session-id')
    if (added && first === undefined) throw contradiction(name)
    if (!added) own.set(name, argument)
    else if (!TIMES.has(name) && argument !== first) throw contradiction(name)
    if (name === 'time-before') until = earlier(until, parseTimestamp(argument))
    // The service's own `time-since` only records when it was minted, perhaps by a node whose clock is ahead.
    if (name === 'time-since' && added) notBefore = later(notBefore, parseTimestamp(argument, 'up'))
  }
  const [brandId, model, serial, deviceKeyId, since, , sessionId] = OWN.map((name) => own.get(name))
  if (!brandId || !model || !serial || !deviceKeyId || !since || !sessionId || !isDeviceSessionId(sessionId))
    throw new Error('a device session of ours lacks a caveat that every session is minted with')
  return {
    brandId,
    model,
    serial,
    store: own.get('store'),
    deviceKeyId,
    since: parseTimestamp(since),
    until,
    sessionId,
    notBefore,
  }
}

const earlier = (a: Date, b: Date): Date => (b < a ? b : a)
const later = (a: Date | undefined, b: Date): Date => (a === undefined || b > a ? b : a)

function unknown(name: string): ConditionError {
  const shown = JSON.stringify(name.slice(0, 64))
  return new ConditionError('unknown-condition', `it has an unknown caveat: ${shown}`)
}

function contradiction(name: string): ConditionError {
  return new ConditionError('refused', `an added caveat contradicts its ${name}`)
}
