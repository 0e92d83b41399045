/** Reads a device's request for a serial (contract/devices.md 2.1), and checks everything that needs no look-up. */
import { createHash } from 'node:crypto'
import {
  DEFAULT_LIMITS,
  decodeStream,
  expectType,
  isStrictSerial,
  type UnverifiedAssertion,
  verifySelfSigned,
} from '@ratafia/assertions'
import { registrationRefused } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Caller } from '../device.ts'
import { explained, FROM_DEVICES, invalidAssertion } from '../explained.ts'
import { openNonce } from '../nonce.ts'

interface RegistrationRequest {
  /** The serial-request, signed with the device key it contains. */
  readonly request: UnverifiedAssertion<'serial-request'>
  /** The model assertion of the same brand and model; its chain is not checked. */
  readonly model: UnverifiedAssertion<'model'>
  /** The original serial at a remodel, with the same device key; its chain is not checked. */
  readonly original: UnverifiedAssertion<'serial'> | undefined
}

export interface RegisterInput {
  /** The body: serial-request, model and, at a remodel, the original serial. */
  readonly stream: Uint8Array
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  readonly caller: Caller
}

/** A request that was read and is signed by the device. Its model is verified before anything new is stored. */
export interface Registration extends RegistrationRequest, Omit<RegisterInput, 'stream'> {
  /** The SHA-256 of the request-id. */
  readonly requestIdHash: Uint8Array
  /** True if it is too old for a new request. A request that was accepted earlier can still be repeated. */
  readonly requestIdExpired: boolean
  /** The SHA-256 of the serial-request's content. */
  readonly requestHash: Uint8Array
}

/** Throws `invalid-assertion` or `invalid-nonce`. */
export async function readRegistration(
  { stream, apiKey, caller }: RegisterInput,
  stores: Stores,
): Promise<Registration> {
  const parts = readStream(stream)
  const { hash, expired } = await openNonce('request-id', parts.request.fields.requestId, stores)
  const requestHash = createHash('sha256').update(parts.request.content).digest()
  return { ...parts, apiKey, caller, requestIdHash: hash, requestIdExpired: expired, requestHash }
}

/** Request, model and original serial. Nothing after them is read. */
const LIMITS = { ...DEFAULT_LIMITS, assertions: 3 }

function readStream(stream: Uint8Array): RegistrationRequest {
  const [first, second, third] = explained(() => decodeStream(stream, LIMITS, FROM_DEVICES))
  if (!first || !second) {
    throw invalidAssertion('expected a serial-request assertion and then the model assertion')
  }
  const request = explained(() => expectType(first, 'serial-request'))
  const model = explained(() => expectType(second, 'model'))
  if (request.format > 0) throw invalidAssertion('only format 0 of the serial-request is known')
  explained(() => verifySelfSigned(request), 'could not validate serial-request assertion')
  const { brandId, model: name } = request.fields
  if (brandId !== model.fields.brandId || name !== model.fields.model) {
    throw invalidAssertion('the serial-request and the model assertion name different models')
  }
  return { request, model, original: readOriginal(request, third) }
}

function readOriginal(
  { fields }: RegistrationRequest['request'],
  third: UnverifiedAssertion | undefined,
): RegistrationRequest['original'] {
  const { originalBrandId, originalModel, originalSerial } = fields
  const headers = [originalBrandId, originalModel, originalSerial]
  if (!third && headers.every((header) => header === undefined)) return undefined
  if (!third || headers.includes(undefined)) {
    throw invalidAssertion(
      'a remodel needs original-brand-id, original-model and original-serial, and the original serial assertion as the third',
    )
  }
  const { fields: was } = explained(() => expectType(third, 'serial'))
  if (was.brandId !== originalBrandId || was.model !== originalModel || was.serial !== originalSerial) {
    throw invalidAssertion('the original serial assertion does not match the headers original-…')
  }
  if (was.deviceKeyId !== fields.deviceKeyId) {
    throw invalidAssertion('the original serial assertion has a different device key')
  }
  if (was.serial.length > MAX_SERIAL || /\p{Cc}/u.test(was.serial)) {
    throw invalidAssertion('the original serial number is too long or contains control characters')
  }
  return expectType(third, 'serial')
}

/** The same limit as for a template. */
const MAX_SERIAL = 128

/**
 * Returns the serial number that the device proposes; undefined if the service generates one. `placeholder` is the text
 * that unprogrammed firmware sent instead of a number. Throws `registration-refused` if the policy requires a proposal
 * and there is none, and for one that newer snapd would refuse (contract/devices.md 2.5).
 */
export function proposedSerial(
  { fields }: RegistrationRequest['request'],
  policy: 'required' | 'optional' | 'ignored',
  placeholder: string | undefined,
): string | undefined {
  const serial = placeholder === undefined ? fields.serial || undefined : undefined
  if (policy === 'ignored') return undefined
  if (serial === undefined) {
    if (policy === 'optional') return undefined
    throw registrationRefused(
      placeholder === undefined
        ? 'This model requires a serial number from the device, but the request contains none. Set registration.proposed-serial in the gadget.'
        : `This model requires a serial number from the device, but ${JSON.stringify(placeholder.slice(0, 64))} is a firmware placeholder. Program the number, or ask the operator to put this one on the allow-list.`,
    )
  }
  if (serial.length <= MAX_SERIAL && isStrictSerial(serial)) return serial
  throw registrationRefused(
    `The proposed serial number is not valid. Use at most ${MAX_SERIAL} letters and digits, with single - + : between them.`,
  )
}
