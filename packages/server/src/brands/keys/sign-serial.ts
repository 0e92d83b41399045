/** Signs a serial assertion, and verifies the result like any other. */
import {
  encodePublicKey,
  formatTimestamp,
  type PublicKey,
  signAsync,
  type TrustedAssertion,
} from '@ratafia/assertions'
import type { Stores } from '../../stores.ts'
import type { ModelName } from '../models/model-policy.ts'
import { verifyChain } from '../trust/trust.ts'
import { type Signer, signerFor } from './signer-for.ts'

export interface SerialInput extends ModelName {
  readonly serial: string
  /** The key that gets the serial number: the key in the serial-request. */
  readonly deviceKey: PublicKey
  /** 0 for the first assertion; one more for each replacement. */
  readonly revision: number
  /** The body of the serial-request, which the serial repeats (contract/devices.md 2.3). */
  readonly body?: Uint8Array
}

export interface SignedSerial {
  readonly assertion: TrustedAssertion<'serial'>
  readonly signer: Signer
}

/**
 * Signs with the key that `signerFor` finds, off the event loop, and verifies the result up to a root before returning
 * it. Stores nothing. Throws `invalid-field` if no key fits, `AssertionError` if a header is malformed.
 */
export async function signSerial(input: SerialInput, stores: Stores): Promise<SignedSerial> {
  const { brandId, model, serial, deviceKey, revision, body } = input
  const now = stores.clock()
  const headers = {
    'brand-id': brandId,
    model,
    serial,
    'device-key': encodePublicKey(deviceKey).trimEnd(),
    'device-key-sha3-384': deviceKey.id,
    timestamp: formatTimestamp(now),
    ...(revision > 0 ? { revision: String(revision) } : {}),
  }
  const draft = new Map(Object.entries(headers))
  const signer = await signerFor({ brandId, model, headers: draft }, stores)
  const signed = await signAsync(
    {
      type: 'serial',
      headers: { ...headers, 'authority-id': signer.authorityId },
      ...(body ? { body } : {}),
    },
    signer.key,
    { signedAt: now },
  )
  return { assertion: await verifyChain(signed, stores), signer }
}
