/** Which device does this session belong to? The store behind the service asks (contract/devices.md 8). */
import type { DeviceSessionDescription } from '@ratafia/api'
import type { Clock } from '../../clock.ts'
import { RequestError } from '../../errors.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { whyNoSession } from './device-session.ts'
import type { DeviceSessionStore } from './device-session-store.ts'
import { type PresentedSession, readSession } from './presented-session.ts'

export interface VerifySessionDeps {
  readonly keyring: Pick<Keyring, 'resolve'>
  readonly sessions: Pick<DeviceSessionStore, 'find'>
  readonly clock: Clock
}

/**
 * Reads the register, or what the node remembers of it while it hears of every change: a revocation takes effect with
 * the next request on the node that made it, and within a second on every other. Throws {@link RequestError}
 * `device-session-required`, whose message says why.
 */
export async function verifySession(
  presented: PresentedSession | undefined,
  deps: VerifySessionDeps,
): Promise<DeviceSessionDescription> {
  if (!presented) throw required('The request carries no device session.')
  const read = await readSession(presented, deps.keyring)
  if ('unknown' in read) throw required(read.unknown)
  if ('refused' in read) throw required(read.refused)
  const { cleared } = read
  const found = await deps.sessions.find(cleared.sessionId)
  if (!found) throw required('This service no longer knows the device session.')
  const why = whyNoSession(found.device)
  if (why !== undefined) throw required(why)
  const now = deps.clock()
  if (!(now < cleared.until)) throw required(`The device session expired at ${cleared.until.toISOString()}.`)
  if (cleared.notBefore && !(now >= cleared.notBefore)) {
    throw required(`The device session is not valid before ${cleared.notBefore.toISOString()}.`)
  }
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

const required = (why: string): RequestError => new RequestError('device-session-required', why)
