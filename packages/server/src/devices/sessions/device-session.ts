/** A device session, as operations see it. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import type { Caller, Device } from '../device.ts'

export interface DeviceSession {
  readonly id: DeviceSessionId
  readonly deviceId: DeviceId
  /** A chain is a session and what it was refreshed to; it has the id of its first. */
  readonly chainId: DeviceSessionId
  /** What it was refreshed from; null for the first of a chain. */
  readonly previousId: DeviceSessionId | null
  /** SHA-256: that a nonce works once is this column's uniqueness. */
  readonly nonceHash: Uint8Array
  /** SHA-256 of all that was asked: a repeated request is known by it. */
  readonly requestHash: Uint8Array
  readonly macaroonId: Uint8Array
  readonly store: string | null
  readonly openedAt: Date
  readonly expiresAt: Date
  readonly caller: Caller
}

/** What the register says about a session's device. */
export type SessionDevice = Pick<
  Device,
  'brandId' | 'model' | 'serial' | 'deviceKeyId' | 'status' | 'decidedAt' | 'decidedBy' | 'quarantinedAt'
>

/** A session and its device, read together. */
export interface FoundSession {
  readonly session: DeviceSession
  readonly device: SessionDevice
}

/** Why this device gets no session, or the ones it has do not hold: a sentence. Undefined when it may have one. */
export function whyNoSession({
  status,
  quarantinedAt,
  decidedAt,
  decidedBy,
}: Pick<SessionDevice, 'status' | 'quarantinedAt' | 'decidedAt' | 'decidedBy'>): string | undefined {
  const at = decidedAt === null ? '' : ` at ${decidedAt.toISOString()}`
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  switch (status) {
    case 'revoked':
      return `The device was revoked${at}${by}. Ask its operator.`
    case 'superseded':
      return `The device was superseded${at}: another device key has its serial. Register it again, or ask its operator.`
    case 'rejected':
      return `The device was rejected${at}${by}. Ask its operator.`
    case 'pending':
      return 'The device waits for its operator to accept it.'
    case 'active':
      if (quarantinedAt === null) return undefined
      return `The device is in quarantine since ${quarantinedAt.toISOString()}, because two seem to use its key. Ask its operator to release it.`
  }
}
