/** Is this the device that it says it is? The whole check of the assertions (contract/devices.md 1.6, steps 1 to 4). */
import {
  type AssertionOf,
  decodeStream,
  type TrustedAssertion,
  type TypeName,
  type UnverifiedAssertion,
  verifySignature,
  verifyTrust,
} from '@ratafia/assertions'
import { findAssertion, type TrustDeps, trustContext } from '../../brands/trust/trust.ts'
import { showSerialName } from '../device.ts'
import { explained, explainedAsync, invalidAssertion } from '../explained.ts'

/** Encoded assertions. */
export interface SessionTexts {
  readonly serial: string
  readonly request: string
  readonly model: string | undefined
}

/** Decoded, and about one device by their own word. */
export interface UnverifiedSessionRequest {
  readonly serial: UnverifiedAssertion<'serial'>
  readonly request: UnverifiedAssertion<'device-session-request'>
  readonly model: UnverifiedAssertion<'model'> | undefined
}

export interface SessionRequest {
  readonly serial: TrustedAssertion<'serial'>
  readonly model: TrustedAssertion<'model'>
}

/** Decodes, and checks what needs no cryptography. Throws `RequestError` `invalid-assertion`. */
export function readSessionRequest(texts: SessionTexts): UnverifiedSessionRequest {
  const serial = decodeOne('serial-assertion', texts.serial, 'serial')
  const request = decodeOne('device-session-request', texts.request, 'device-session-request')
  const model = texts.model === undefined ? undefined : decodeOne('model-assertion', texts.model, 'model')
  const { brandId, model: modelName, serial: number } = serial.fields
  requireEqual('device-session-request', 'brand-id', request.fields.brandId, brandId)
  requireEqual('device-session-request', 'model', request.fields.model, modelName)
  requireEqual('device-session-request', 'serial', request.fields.serial, number)
  if (model) {
    requireEqual('model assertion', 'brand-id', model.fields.brandId, brandId)
    requireEqual('model assertion', 'model', model.fields.model, modelName)
  }
  if (number.includes('/') || !PRINTABLE.test(number)) {
    throw invalidAssertion('the serial number has more than 128 characters, or such as cannot be printed')
  }
  if (serial.revision > MAX_REVISION) throw invalidAssertion('the revision of the serial is too large')
  return { serial, request, model }
}

/** What stands in a macaroon, in the register and in headers. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u

/** What the column of the register takes. */
const MAX_REVISION = 2 ** 31 - 1

function decodeOne<Type extends TypeName>(field: string, text: string, type: Type): AssertionOf<Type> {
  const what = `could not decode ${field}`
  const [assertion, ...more] = explained(() => decodeStream(text), what)
  if (assertion === undefined) throw invalidAssertion(`${what} (it is empty)`)
  if (more.length > 0) throw invalidAssertion(`${what} (it holds more than one assertion)`)
  if (assertion.type !== type) throw invalidAssertion(`${field} is of type ${assertion.type}, not ${type}`)
  // `type` is what narrows it, which the compiler does not see for a type parameter.
  return assertion as AssertionOf<Type>
}

function requireEqual(what: string, header: string, actual: string, wanted: string): void {
  if (actual !== wanted) {
    throw invalidAssertion(`the ${header} of the ${what} is not that of the serial assertion`)
  }
}

/**
 * Checks every signature: the device's, and the chains of the serial and of the model down to a trusted root. Without a
 * model assertion, the one that is stored here. Throws `RequestError` `invalid-assertion`.
 */
export async function checkSessionRequest(
  { serial, request, model }: UnverifiedSessionRequest,
  deps: TrustDeps,
): Promise<SessionRequest> {
  const name = ['16', serial.fields.brandId, serial.fields.model]
  const stored = await findAssertion('model', name, deps)
  const chosen = model ?? (stored?.type === 'model' ? stored : undefined)
  if (!chosen) {
    throw invalidAssertion(
      `there is no model assertion for ${showSerialName(serial.fields)} in the request, and none is stored here: send it as "model-assertion"`,
    )
  }
  // Empty is as good as none.
  if (chosen.fields.store && !PRINTABLE.test(chosen.fields.store)) {
    throw invalidAssertion(
      'the store of the model has more than 128 characters, or such as cannot be printed',
    )
  }
  // Whom the brand does not let sign its serials any more, an older revision of the model does not bring back.
  const isOlder = stored !== undefined && stored.revision > chosen.revision
  const context = await trustContext(deps, isOlder ? [] : [chosen])
  const trustedModel = await explainedAsync(
    () => verifyTrust(chosen, context),
    'could not validate model assertion',
  )
  const trustedSerial = await explainedAsync(
    () => verifyTrust(serial, context),
    'could not validate serial assertion',
  )
  explained(
    () => verifySignature(request, serial.fields.deviceKey),
    'could not validate device-session-request',
  )
  return { serial: trustedSerial, model: trustedModel }
}
