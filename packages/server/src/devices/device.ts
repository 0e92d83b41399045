/** A device in the register, as operations use it. */
import type { DeviceId } from '@ratafia/api'

export const DEVICE_STATUSES = ['pending', 'rejected', 'active', 'superseded', 'revoked'] as const

/**
 * - `pending`: requested a serial and waits for the operator; `rejected`: the operator refused it
 * - `active`: has its serial
 * - `superseded`: another device key has the serial now
 * - `revoked`: keeps the serial, but does not get any more sessions or assertions
 */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number]

/** How a device got into the register: a registration here, a session with a serial signed elsewhere, or an import. */
export const DEVICE_ORIGINS = ['registration', 'session', 'import'] as const
export type DeviceOrigin = (typeof DEVICE_ORIGINS)[number]

export interface SerialName {
  readonly brandId: string
  readonly model: string
  readonly serial: string
}

/** Identifies a row of the register. */
export interface DeviceRef {
  readonly id: DeviceId
  /** The part of the database that contains it: `bucketOf` its device key. */
  readonly bucket: number
}

export interface Device extends DeviceRef, SerialName {
  /** The serial; empty until one is chosen. */
  readonly serial: string
  /** The SHA3-384 of the device key, as assertions write it. */
  readonly deviceKeyId: string
  readonly status: DeviceStatus
  /** The revision of the newest stored serial assertion; null without one. */
  readonly revision: number | null
  readonly origin: DeviceOrigin
  /** The BRAND/MODEL/SERIAL it was remodeled from. */
  readonly original: string | null
  readonly registeredAt: Date
  /** When it was approved, rejected or revoked, and who did it; `policy` if a policy decided. */
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
  /** Why it was rejected or revoked, or what superseded it. */
  readonly reason: string | null
  /** When it went into quarantine. While set, it cannot open a session. */
  readonly quarantinedAt: Date | null
  /** When its personal data was removed. The row then only keeps its serial and key from being given again. */
  readonly removedAt?: Date
}

/** The origin of a request, for the register. */
export interface Caller {
  readonly address: string
  /** Printable ASCII, at most 256 characters. */
  readonly userAgent: string
}

/** A serial assertion as the register keeps it. */
export interface SerialAssertion extends SerialName {
  readonly revision: number
  readonly deviceId: DeviceId
  /** The device's bucket. */
  readonly bucket: number
  /** The original bytes. */
  readonly encoded: Uint8Array
  readonly authorityId: string
  readonly signingKeyId: string
}

export const showSerialName = ({ brandId, model, serial }: SerialName): string =>
  `${brandId}/${model}/${serial}`

/** Returns the beginning of a sentence about a device: `The device ID (BRAND/MODEL/SERIAL, active)`. */
export const describeDevice = (device: Device): string =>
  `The device ${device.id} (${device.serial === '' ? `${device.brandId}/${device.model}` : showSerialName(device)}, ${device.status})`

const MAX_USER_AGENT = 256

export const callerOf = (request: {
  readonly client: { readonly address: string }
  readonly headers: { readonly 'user-agent'?: string | undefined }
}): Caller => ({
  address: request.client.address,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT).replace(/[^ -~]/g, '?'),
})
