/** A device session, and the check whether its device can have one. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import type { Caller, Device } from '../device.ts'

export interface DeviceSession {
  readonly id: DeviceSessionId
  readonly deviceId: DeviceId
  /** The device's bucket. */
  readonly bucket: number
  /** A session and its refreshes form a chain, which has the id of its first session. */
  readonly chainId: DeviceSessionId
  /** The session that this one refreshed; null for the first of a chain. */
  readonly previousId: DeviceSessionId | null
  /** The SHA-256 of the nonce. Unique in its bucket: a nonce works once for a device key. */
  readonly nonceHash: Uint8Array
  /** The SHA-256 of the whole request, to recognise a repeated one. */
  readonly requestHash: Uint8Array
  readonly macaroonId: Uint8Array
  readonly store: string | null
  readonly openedAt: Date
  readonly expiresAt: Date
  readonly caller: Caller
}

/** The part of a session that a new one is compared with. */
export type ComparedSession = Pick<
  DeviceSession,
  'id' | 'chainId' | 'store' | 'openedAt' | 'expiresAt' | 'caller'
>

/** A session and its device, read together. */
export interface FoundSession {
  readonly session: DeviceSession
  readonly device: Device
}

/** Returns why this device can't open a session and its sessions are not valid; undefined if it can. */
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
      return 'The device is pending: its operator has not approved it yet.'
    case 'active':
      if (quarantinedAt === null) return undefined
      return `The device has been in quarantine since ${quarantinedAt.toISOString()}, because two devices seem to use its key. Ask its operator to release it.`
  }
}
