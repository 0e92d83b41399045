/** A device session, and whether its device may have one. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import type { Caller, Device } from '../device.ts'

export interface DeviceSession {
  readonly id: DeviceSessionId
  readonly deviceId: DeviceId
  /** Of the device. */
  readonly bucket: number
  /** A session and its refreshes form a chain, which has the id of its first session. */
  readonly chainId: DeviceSessionId
  /** The session that this one refreshed; null for the first of a chain. */
  readonly previousId: DeviceSessionId | null
  /** SHA-256. Unique in its bucket: a nonce works once for a device key. */
  readonly nonceHash: Uint8Array
  /** SHA-256 of the whole request, to recognise a repetition. */
  readonly requestHash: Uint8Array
  readonly macaroonId: Uint8Array
  readonly store: string | null
  readonly openedAt: Date
  readonly expiresAt: Date
  readonly caller: Caller
}

/** What a new session is compared with. */
export type ComparedSession = Pick<
  DeviceSession,
  'id' | 'chainId' | 'store' | 'openedAt' | 'expiresAt' | 'caller'
>

/** A session and its device, read together. */
export interface FoundSession {
  readonly session: DeviceSession
  readonly device: Device
}

/** Why this device gets no session and its sessions are not valid: a sentence. Undefined if it may have one. */
export function whyNoSession(device: Device): string | undefined {
  const { status, quarantinedAt, decidedAt, decidedBy } = device
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
      return 'The device is waiting for its operator to accept it.'
    case 'active':
      if (quarantinedAt === null) return undefined
      return `The device has been in quarantine since ${quarantinedAt.toISOString()}, because two devices seem to use its key. Ask its operator to release it.`
  }
}
