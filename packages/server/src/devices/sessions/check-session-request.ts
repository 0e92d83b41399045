/** Checks the assertions of a session request: is this the device it claims to be (contract/devices.md 1.6)? */
import {
  type AssertionOf,
  DEFAULT_LIMITS,
  decodeStream,
  type TrustedAssertion,
  type TypeName,
  type UnverifiedAssertion,
  verifySignature,
} from '@ratafia/assertions'
import { findModelAssertion } from '../../brands/models/find-model.ts'
import { verifyChain } from '../../brands/trust/trust.ts'
import type { Stores } from '../../stores.ts'
import { showSerialName } from '../device.ts'
import { explained, explainedAsync, FROM_DEVICES, invalidAssertion } from '../explained.ts'

/** The encoded assertions. */
export interface SessionTexts {
  readonly serial: string
  readonly request: string
  readonly model: string | undefined
}

/** The decoded assertions, which all name the same device. */
export interface UnverifiedSessionRequest {
  readonly serial: UnverifiedAssertion<'serial'>
  readonly request: UnverifiedAssertion<'device-session-request'>
  readonly model: UnverifiedAssertion<'model'> | undefined
}

export interface SessionRequest {
  readonly serial: TrustedAssertion<'serial'>
  readonly model: TrustedAssertion<'model'>
}

/** The serial and the model from one request: the serial may be valid only because of that model. */
export type DeviceAssertions = Pick<UnverifiedSessionRequest, 'serial' | 'model'>

/** Returns the part of a request that the device repeats with each session. */
export const repeatedText = ({ serial, model }: SessionTexts): string =>
  `${serial.length} ${serial}${model === undefined ? '' : ` ${model}`}`

/**
 * Decodes the request, and checks everything that needs no cryptography. `known` is the earlier decoding of
 * {@link repeatedText}. Throws `invalid-assertion`.
 */
export function readSessionRequest(
  texts: SessionTexts,
  known: DeviceAssertions | undefined,
): UnverifiedSessionRequest {
  const serial = known?.serial ?? decodeOne('serial-assertion', texts.serial, 'serial')
  const request = decodeOne('device-session-request', texts.request, 'device-session-request')
  const model =
    known || texts.model === undefined ? known?.model : decodeOne('model-assertion', texts.model, 'model')
  const { brandId, model: modelName, serial: number } = serial.fields
  requireEqual('device-session-request', 'brand-id', request.fields.brandId, brandId)
  requireEqual('device-session-request', 'model', request.fields.model, modelName)
  requireEqual('device-session-request', 'serial', request.fields.serial, number)
  if (model) {
    requireEqual('model assertion', 'brand-id', model.fields.brandId, brandId)
    requireEqual('model assertion', 'model', model.fields.model, modelName)
  }
  if (number.includes('/') || !PRINTABLE.test(number)) {
    throw invalidAssertion('the serial number has more than 128 characters or contains unprintable ones')
  }
  if (serial.revision > MAX_REVISION) throw invalidAssertion('the revision of the serial is too large')
  return { serial, request, model }
}

/** These values are used in a macaroon, the register and headers. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u

/** The limit of the register's column. */
const MAX_REVISION = 2 ** 31 - 1

function decodeOne<Type extends TypeName>(field: string, text: string, type: Type): AssertionOf<Type> {
  const what = `could not decode ${field}`
  const [assertion, ...more] = explained(() => decodeStream(text, DEFAULT_LIMITS, FROM_DEVICES), what)
  if (assertion === undefined) throw invalidAssertion(`${what} (it is empty)`)
  if (more.length > 0) throw invalidAssertion(`${what} (it contains more than one assertion)`)
  if (assertion.type !== type) throw invalidAssertion(`${field} is of type ${assertion.type}, not ${type}`)
  // The comparison above proves it, but doesn't narrow a type parameter.
  return assertion as AssertionOf<Type>
}

function requireEqual(what: string, header: string, actual: string, wanted: string): void {
  if (actual !== wanted) {
    throw invalidAssertion(`the ${header} of the ${what} differs from the serial assertion`)
  }
}

/**
 * Checks every signature: the device's, and the chains of serial and model to a trusted root. Uses the stored model
 * assertion if the request contains none. Throws `invalid-assertion`.
 */
export async function checkSessionRequest(
  { serial, request, model }: UnverifiedSessionRequest,
  stores: Stores,
): Promise<SessionRequest> {
  const stored = await findModelAssertion(serial.fields, stores)
  const chosen = model ?? stored
  if (!chosen) {
    throw invalidAssertion(
      `there is no model assertion for ${showSerialName(serial.fields)} in the request, and none is stored here: send it as "model-assertion"`,
    )
  }
  // An empty store counts as none.
  if (chosen.fields.store && !PRINTABLE.test(chosen.fields.store)) {
    throw invalidAssertion('the store of the model has more than 128 characters or contains unprintable ones')
  }
  // An older revision of the model must not restore a serial-authority that the brand has withdrawn.
  const isOlder = stored !== undefined && stored.revision > chosen.revision
  const given = isOlder ? [] : [chosen]
  const trustedModel = await explainedAsync(
    () => verifyChain(chosen, stores, given),
    'could not validate model assertion',
  )
  const trustedSerial = await explainedAsync(
    () => verifyChain(serial, stores, given),
    'could not validate serial assertion',
  )
  explained(
    () => verifySignature(request, serial.fields.deviceKey),
    'could not validate device-session-request',
  )
  return { serial: trustedSerial, model: trustedModel }
}
