/** A device in the register, as operations see it. */
import type { DeviceId } from '@ratafia/api'

export const DEVICE_STATUSES = ['pending', 'rejected', 'active', 'superseded', 'revoked'] as const

/**
 * - `pending`: asked for a serial and waits for the operator; `rejected`: the operator said no
 * - `active`: has its serial
 * - `superseded`: another device key has the serial now
 * - `revoked`: keeps the serial, but gets no more sessions or assertions
 */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number]

/** How it got into the register: a registration here, a session with a serial signed elsewhere, an import. */
export const DEVICE_ORIGINS = ['registration', 'session', 'import'] as const
export type DeviceOrigin = (typeof DEVICE_ORIGINS)[number]

export interface SerialName {
  readonly brandId: string
  readonly model: string
  readonly serial: string
}

/** Names a row of the register. */
export interface DeviceRef {
  readonly id: DeviceId
  /** Where it is: `bucketOf` its device key. */
  readonly bucket: number
}

export interface Device extends DeviceRef, SerialName {
  /** Empty until one is chosen. */
  readonly serial: string
  /** SHA3-384 of the device key, as assertions write it. */
  readonly deviceKeyId: string
  readonly status: DeviceStatus
  /** Of the newest stored serial assertion; null without one. */
  readonly revision: number | null
  readonly origin: DeviceOrigin
  /** The BRAND/MODEL/SERIAL it was remodeled from. */
  readonly original: string | null
  readonly registeredAt: Date
  /** When and by whom it was accepted, rejected or revoked; `policy` if no person decided. */
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
  /** Why it was rejected or revoked, or what superseded it. */
  readonly reason: string | null
  /** While set, it gets no session. */
  readonly quarantinedAt: Date | null
  /** From then on the row only keeps its serial and its key from being given again (`removal/`). */
  readonly removedAt?: Date
}

/** Where a request came from, for the register. */
export interface Caller {
  readonly address: string
  /** Printable ASCII, at most 256 characters. */
  readonly userAgent: string
}

/** A serial assertion as the register keeps it. */
export interface SerialAssertion extends SerialName {
  readonly revision: number
  readonly deviceId: DeviceId
  /** Of the device. */
  readonly bucket: number
  /** Byte for byte. */
  readonly encoded: Uint8Array
  readonly authorityId: string
  readonly signingKeyId: string
}

export const showSerialName = ({ brandId, model, serial }: SerialName): string =>
  `${brandId}/${model}/${serial}`

/** The beginning of a sentence about a device: `The device ID (BRAND/MODEL/SERIAL, active)`. */
export const describeDevice = (device: Device): string =>
  `The device ${device.id} (${device.serial === '' ? `${device.brandId}/${device.model}` : showSerialName(device)}, ${device.status})`
