/** A device in the register, as operations see it. */
import type { DeviceId } from '@ratafia/api'

export const DEVICE_STATUSES = ['pending', 'rejected', 'active', 'superseded', 'revoked'] as const

/**
 * - `pending`: asked for a serial and waits for the operator; `rejected`: the operator said no
 * - `active`: has its serial
 * - `superseded`: another device key has the serial now
 * - `revoked`: keeps the serial and gets nothing any more
 */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number]

/** How it got into the register: a registration here, a session with a serial signed elsewhere, an import. */
export const DEVICE_ORIGINS = ['registration', 'session', 'import'] as const
export type DeviceOrigin = (typeof DEVICE_ORIGINS)[number]

export interface Device {
  readonly id: DeviceId
  readonly brandId: string
  readonly model: string
  /** Empty while nobody has chosen one. */
  readonly serial: string
  /** SHA3-384 of the device key, as assertions write it. */
  readonly deviceKeyId: string
  readonly status: DeviceStatus
  /** Of the newest serial assertion that is stored; null without one. */
  readonly revision: number | null
  readonly origin: DeviceOrigin
  /** The BRAND/MODEL/SERIAL it was remodeled from. */
  readonly original: string | null
  readonly registeredAt: Date
  /** When and by whom it was accepted, rejected or revoked; by `policy` where no person decided. */
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
  /** Of a rejection or a revocation; what superseded it. */
  readonly reason: string | null
  /** While set, it gets no session. */
  readonly quarantinedAt: Date | null
}

/** Where a request came from, for the register. */
export interface Caller {
  readonly address: string
  /** Printable ASCII, at most 256 characters. */
  readonly userAgent: string
}

/** A serial assertion that the register keeps, byte for byte. */
export interface SerialAssertion {
  readonly brandId: string
  readonly model: string
  readonly serial: string
  readonly revision: number
  readonly deviceId: DeviceId
  readonly encoded: Uint8Array
  readonly authorityId: string
  readonly signingKeyId: string
}

export interface SerialName {
  readonly brandId: string
  readonly model: string
  readonly serial: string
}

export const showSerialName = ({ brandId, model, serial }: SerialName): string =>
  `${brandId}/${model}/${serial}`

/** The beginning of a sentence about a device: `The device ID (BRAND/MODEL/SERIAL, active)`. */
export const describeDevice = (device: Device): string =>
  `The device ${device.id} (${device.serial === '' ? `${device.brandId}/${device.model}` : showSerialName(device)}, ${device.status})`
