import {
  accountId,
  digest,
  modelName,
  optionalText,
  publicKeyWithId,
  text,
  timestamp,
} from '../headers/header-checks.ts'
import type { PublicKey } from '../keys/public-key.ts'
import type { TypeRow } from './row.ts'

export interface SerialFields {
  readonly brandId: string
  readonly model: string
  readonly serial: string
  readonly deviceKeyId: string
  readonly deviceKey: PublicKey
  readonly timestamp: Date
}

/** A device's identity: the statement of which key has a model's serial number. */
export const serial: TypeRow<SerialFields> = {
  authority: true,
  primaryKey: ['brand-id', 'model', 'serial'],
  maxFormat: 0,
  read: ({ headers }) => {
    const deviceKeyId = digest(headers, 'device-key-sha3-384')
    const mismatch = 'header "device-key" is not the key that "device-key-sha3-384" names'
    return {
      brandId: accountId(headers, 'brand-id'),
      model: modelName(headers),
      serial: text(headers, 'serial'),
      deviceKeyId,
      deviceKey: publicKeyWithId(text(headers, 'device-key'), deviceKeyId, mismatch),
      timestamp: timestamp(headers),
    }
  },
}

/**
 * Whether newer features of snapd accept it as a serial number. Existing serial numbers can be any string
 * without a slash; require this form for new ones (contract/devices.md 2.5).
 */
export function isStrictSerial(serial: string): boolean {
  return /^[a-zA-Z0-9](?:[:+-]?[a-zA-Z0-9])*$/.test(serial)
}

export interface SerialRequestFields {
  /** The brand's id. Its form is not checked, as in snapd. */
  readonly brandId: string
  readonly model: string
  readonly requestId: string
  /** The serial number that the device proposes. */
  readonly serial: string | undefined
  readonly deviceKeyId: string
  readonly deviceKey: PublicKey
  /** The brand of the serial that the device had before a remodel. */
  readonly originalBrandId: string | undefined
  readonly originalModel: string | undefined
  readonly originalSerial: string | undefined
}

/** A device's request for a serial, signed with the device key that it contains. */
export const serialRequest: TypeRow<SerialRequestFields> = {
  authority: false,
  primaryKey: [],
  maxFormat: 0,
  read: ({ headers, signKeyId }) => {
    const mismatch = 'header "device-key" is not the key that "sign-key-sha3-384" names'
    return {
      brandId: text(headers, 'brand-id'),
      model: modelName(headers),
      requestId: text(headers, 'request-id'),
      serial: optionalText(headers, 'serial'),
      deviceKeyId: signKeyId,
      deviceKey: publicKeyWithId(text(headers, 'device-key'), signKeyId, mismatch),
      originalBrandId: optionalText(headers, 'original-brand-id'),
      originalModel: optionalText(headers, 'original-model'),
      originalSerial: optionalText(headers, 'original-serial'),
    }
  },
}

export interface DeviceSessionRequestFields {
  readonly brandId: string
  readonly model: string
  readonly serial: string
  readonly nonce: string
  /** The time on the device's clock, which may be wrong. */
  readonly timestamp: Date
}

/** A device's request for a session, signed with the device key of its serial. */
export const deviceSessionRequest: TypeRow<DeviceSessionRequestFields> = {
  authority: false,
  primaryKey: ['brand-id', 'model', 'serial'],
  maxFormat: 0,
  read: ({ headers }) => ({
    brandId: text(headers, 'brand-id'),
    model: modelName(headers),
    serial: text(headers, 'serial'),
    nonce: text(headers, 'nonce'),
    timestamp: timestamp(headers),
  }),
}
