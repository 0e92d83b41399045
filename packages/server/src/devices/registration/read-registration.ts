/** Reads what a device sends to get a serial (contract/devices.md 2.1), and checks what needs no look-up. */
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
  /** Signed with the device key in it. */
  readonly request: UnverifiedAssertion<'serial-request'>
  /** Of the same brand and model; its chain is not checked. */
  readonly model: UnverifiedAssertion<'model'>
  /** At a remodel: what the device was. Of the same device key; its chain is not checked. */
  readonly original: UnverifiedAssertion<'serial'> | undefined
}

export interface RegisterInput {
  /** The body: serial-request, model and, at a remodel, the original serial. */
  readonly stream: Uint8Array
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  readonly caller: Caller
}

/** Read, and signed by the device. Whether its model is genuine is checked before anything new is stored. */
export interface Registration extends RegistrationRequest, Omit<RegisterInput, 'stream'> {
  /** SHA-256. */
  readonly requestIdHash: Uint8Array
  /** Too old for a new request; one that was accepted before may still be repeated. */
  readonly requestIdExpired: boolean
  /** SHA-256 of the content of the serial-request. */
  readonly requestHash: Uint8Array
}

/** Throws `RequestError` `invalid-assertion` or `invalid-nonce`. */
export async function readRegistration(
  { stream, apiKey, caller }: RegisterInput,
  stores: Stores,
): Promise<Registration> {
  const parts = readStream(stream)
  const { hash, expired } = await openNonce('request-id', parts.request.fields.requestId, stores)
  const requestHash = createHash('sha256').update(parts.request.content).digest()
  return { ...parts, apiKey, caller, requestIdHash: hash, requestIdExpired: expired, requestHash }
}

/** Request, model and original serial: nothing else is expected, so nothing else is read. */
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
    throw invalidAssertion('the original serial assertion is of another device key')
  }
  if (was.serial.length > MAX_SERIAL || /\p{Cc}/u.test(was.serial)) {
    throw invalidAssertion('the original serial number is too long, or has control characters')
  }
  return expectType(third, 'serial')
}

/** As in a template. */
const MAX_SERIAL = 128

/**
 * The serial number that the device proposes; undefined if the service makes one. `placeholder`: what unprogrammed
 * firmware said instead of a number. Throws `RequestError` `registration-refused` if the policy requires a proposal and
 * there is none, and for one that newer snapd would not take (contract/devices.md 2.5).
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
        ? 'This model needs a serial number from the device, and the request has none. Set registration.proposed-serial in the gadget.'
        : `This model needs a serial number from the device, and ${JSON.stringify(placeholder.slice(0, 64))} is what firmware says before its number is programmed. Program the number, or ask the operator to put this one on the allow-list.`,
    )
  }
  if (serial.length <= MAX_SERIAL && isStrictSerial(serial)) return serial
  throw registrationRefused(
    `The proposed serial number cannot be given. Use at most ${MAX_SERIAL} letters and digits, with single - + : between them.`,
  )
}
