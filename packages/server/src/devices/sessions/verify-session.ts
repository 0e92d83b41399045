/** Finds the device that a session belongs to, for the store behind the service (contract/devices.md 8). */
import type { DeviceId, DeviceSessionDescription } from '@ratafia/api'
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { whyNoSession } from './device-session.ts'
import { type PresentedSession, readSession } from './presented-session.ts'
import type { ClearedSession } from './session-macaroon.ts'

export interface VerifiedSession extends Pick<ClearedSession, 'until' | 'notBefore'> {
  readonly deviceId: DeviceId
  /** A {@link DeviceSessionDescription} as JSON, built once and reused for every check. */
  readonly description: string
  /** The same for a proxy, which does not read bodies. */
  readonly headers: Readonly<Record<string, string>>
}

export interface RememberedDeviceSessions {
  /** Returns undefined if these headers have to be verified. */
  find(digest: string): VerifiedSession | undefined
  remember(digest: string, verify: () => Promise<VerifiedSession>): Promise<VerifiedSession>
}

/** Throws `device-session-required`, with the reason in its message. */
export async function verifySession(
  presented: PresentedSession | undefined,
  { keyring, deviceSessions, clock }: Stores,
): Promise<VerifiedSession> {
  if (!presented) throw required('The request carries no device session.')
  const read = await readSession(presented, keyring)
  if ('unknown' in read) throw required(read.unknown)
  if ('refused' in read) throw required(read.refused)
  const { cleared } = read
  const found = await deviceSessions.find(cleared.sessionId, cleared.deviceKeyId)
  if (!found) throw required('This service no longer knows the device session.')
  const why = whyNoSession(found.device)
  if (why !== undefined) throw required(why)
  const { until, notBefore } = cleared
  const now = clock()
  if (!(now < until)) throw required(`The device session expired at ${until.toISOString()}.`)
  if (notBefore && !(now >= notBefore)) {
    throw required(`The device session is not valid before ${notBefore.toISOString()}.`)
  }
  const description = describe(cleared)
  const { deviceId } = found.session
  return {
    ...{ deviceId, until, notBefore },
    description: JSON.stringify(description),
    headers: headersOf(description),
  }
}

function describe(cleared: ClearedSession): DeviceSessionDescription {
  return {
    'brand-id': cleared.brandId,
    model: cleared.model,
    serial: cleared.serial,
    'device-key-sha3-384': cleared.deviceKeyId,
    store: cleared.store ?? null,
    'session-id': cleared.sessionId,
    'valid-since': cleared.since.toISOString(),
    'valid-until': cleared.until.toISOString(),
  }
}

/** A proxy's configuration must set each header, so that no client can. */
const headersOf = (session: DeviceSessionDescription): Record<string, string> => ({
  'ratafia-brand': plain(session['brand-id']),
  'ratafia-model': plain(session.model),
  'ratafia-serial': plain(session.serial),
  ...(session.store === null ? {} : { 'ratafia-store': plain(session.store) }),
  'ratafia-device-key': plain(session['device-key-sha3-384']),
  'ratafia-session': plain(session['session-id']),
  'ratafia-valid-until': session['valid-until'],
})

/** Keeps printable ASCII; percent-encodes the rest and `%` as UTF-8, so that different strings stay different. */
const plain = (text: string): string => text.replace(/[^!-$&-~]/gu, encodeURIComponent)

const required = (why: string): RequestError => new RequestError('device-session-required', why)
