/**
 * A nonce opens one session of a device key. The same request, repeated within a minute, gets the same session again,
 * because the first answer may have been lost (contract/devices.md, decision 5); any other second use is refused. Between
 * requests of one key that race with one nonce, the unique constraint on `nonce_hash` and `bucket` decides.
 */
import { createHash } from 'node:crypto'
import { deviceRefused } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { staleNonce } from '../nonce.ts'
import type { SessionTexts } from './check-session-request.ts'
import { type DeviceSession, type FoundSession, whyNoSession } from './device-session.ts'
import type { PresentedSession } from './presented-session.ts'

export interface NonceUse extends Pick<DeviceSession, 'nonceHash' | 'requestHash'> {
  /** Not verified. */
  readonly deviceKeyId: string
}

/** How long the same request gets the same answer. */
const RETRY_MS = 60_000

/** Covers everything that was sent, each part with its length: this is how a repeated request is recognised. */
export function hashRequest(
  { serial, request, model }: SessionTexts,
  previous: PresentedSession | undefined,
): Uint8Array {
  const shown = previous && ('macaroon' in previous ? Buffer.from(previous.macaroon.signature) : 'unreadable')
  const parts = [serial, request, model ?? null, shown?.toString('base64url') ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/**
 * The session that this very request has opened before. Undefined for an unused nonce. Throws `RequestError`
 * `invalid-nonce` if another request used it, or this one too long ago, and `device-refused` if the device may no longer
 * have the session.
 */
export async function findOpened(
  { deviceKeyId, nonceHash, requestHash }: NonceUse,
  { deviceSessions, clock }: Stores,
): Promise<FoundSession | undefined> {
  const found = await deviceSessions.findByNonce(nonceHash, deviceKeyId)
  if (!found) return undefined
  const age = clock().getTime() - found.session.openedAt.getTime()
  if (age > RETRY_MS || Buffer.compare(found.session.requestHash, requestHash) !== 0) {
    throw staleNonce('nonce', 'used')
  }
  const why = whyNoSession(found.device)
  if (why !== undefined) throw deviceRefused(why)
  return found
}
