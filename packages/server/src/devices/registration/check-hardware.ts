/** Checks that the hardware signed the request-id, for models that require it (contract/devices.md 2.6). */
import { AssertionError, type UnverifiedAssertion, verifyHardwareSignature } from '@ratafia/assertions'
import { findHardwareIdentity } from '../../brands/models/hardware/find-hardware-identity.ts'
import { registrationRefused } from '../../errors.ts'
import type { Stores } from '../../stores.ts'

/** snapd uses one name and its documentation the other; both mean the digest of the built-in key. */
const DIGESTS = ['hardware-id-key-sha3-384', 'hardware-id-key-sha384'] as const

/** Returns the SHA3-384 digest of the key that signed, in base64url. Throws `registration-refused`. */
export async function checkHardware(
  request: UnverifiedAssertion<'serial-request'>,
  stores: Stores,
): Promise<string> {
  const body = readBody(request.body)
  const digest = textIn(body, DIGESTS)
  const signature = textIn(body, ['request-id-signature'])
  if (digest === undefined || signature === undefined) {
    throw registrationRefused(
      `This model requires proof of the hardware key: send a JSON body with ${DIGESTS[0]} and request-id-signature.`,
    )
  }
  const identity = await findHardwareIdentity(digest, stores)
  if (!identity) {
    throw registrationRefused(
      'This service does not know the hardware of this device. Ask the operator to import its hardware-identity assertion.',
    )
  }
  try {
    verifyHardwareSignature(identity, request.fields.requestId, signature)
    return identity.fields.hardwareKeyId
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw registrationRefused(`The hardware of this device could not be verified: ${error.message}.`, {
      cause: error,
    })
  }
}

function readBody(body: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function textIn(body: object, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value
    if (typeof value === 'string') return value
  }
  return undefined
}
