/** Reads what a device sends to get a serial (contract/devices.md 2.1), and checks everything that needs no look-up. */
import {
  DEFAULT_LIMITS,
  decodeStream,
  expectType,
  isStrictSerial,
  type UnverifiedAssertion,
  verifySelfSigned,
} from '@ratafia/assertions'
import { registrationRefused } from '../../errors.ts'
import { explained, FROM_DEVICES, invalidAssertion } from '../explained.ts'

export interface RegistrationRequest {
  /** Signed with the device key in it. */
  readonly request: UnverifiedAssertion<'serial-request'>
  /** Of the same brand and model; its chain is not checked. */
  readonly model: UnverifiedAssertion<'model'>
  /** At a remodel: what the device was. Of the same device key; its chain is not checked. */
  readonly original: UnverifiedAssertion<'serial'> | undefined
}

/** Request, model and original serial: nothing else is expected, so nothing else is read. */
const LIMITS = { ...DEFAULT_LIMITS, assertions: 3 }

/** Throws `RequestError` `invalid-assertion`. */
export function readRegistration(stream: Uint8Array): RegistrationRequest {
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
