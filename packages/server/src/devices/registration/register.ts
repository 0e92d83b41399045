/**
 * `POST devices`: issues a serial to a device (contract/devices.md 2). The steps are receive, check, decide,
 * sign and store. Look-ups before the signature only save work and explain refusals: the constraints in the
 * transaction at the end decide, and the loser of a race starts again.
 */
import { encode, encodeStream, type UnverifiedAssertion } from '@ratafia/assertions'
import { type ModelName, type OpenModel, showModelName } from '../../brands/models/model-policy.ts'
import type { Recognised } from '../../brands/trust/recognised.ts'
import { decodeStored, findAssertion, verifyChain } from '../../brands/trust/trust.ts'
import { type AuthoredStores, deviceKeyActor } from '../../change.ts'
import type { Tally } from '../../counting/tally.ts'
import { RequestError, registrationRefused, Unavailable } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Device, SerialAssertion } from '../device.ts'
import { explainedAsync } from '../explained.ts'
import { LostRace, retryLostRaces } from '../lost-race.ts'
import { staleNonce } from '../nonce.ts'
import { type WaitDeps, waitForApproval } from './approval/wait-for-approval.ts'
import { type AllowedDevice, checkPolicy } from './check-policy.ts'
import { type RegisterNewDeps, registerImported, registerNewDevice } from './issue-serial.ts'
import { type RegisterInput, type Registration, readRegistration } from './read-registration.ts'
import { deviceOfRequest, useRequestId } from './use-request-id.ts'

interface StepDeps extends AuthoredStores, RegisterNewDeps, WaitDeps {
  readonly recognised: Recognised<UnverifiedAssertion<'model'>>
  readonly tally: Tally
}

export type RegisterDeps = Omit<StepDeps, 'change'>

/** More than enough for all devices that request one serial at the same moment. */
const ATTEMPTS = 20

/** The serial, or `wait` if the operator has yet to approve the device. */
type Result = SerialAssertion | 'wait'

/**
 * Returns the encoded answer: the serial, with its signer's assertions if the device accepts a stream; undefined while
 * the device waits for approval. The same request (request-id, key and everything else that is signed) always gets the
 * same answer, however late it is repeated. Throws `invalid-assertion`, `invalid-nonce`, `registration-refused` or
 * `invalid-api-key`, which uses up nothing; {@link Unavailable} if too many requests are waiting.
 */
export async function registerDevice(
  { serialStream, ...input }: RegisterInput & { readonly serialStream: boolean },
  given: RegisterDeps,
): Promise<Uint8Array | undefined> {
  const registration = await readRegistration(input, given)
  const { deviceKeyId, brandId } = registration.request.fields
  const change = given.changeBy({ actor: deviceKeyActor(deviceKeyId), source: input.caller.address })
  const deps = { ...given, change }
  let refused: RequestError | undefined
  const result = await retryLostRaces(ATTEMPTS, async (attempt) => {
    // Cached data may be why the race was lost, so further attempts read everything.
    const now = attempt === 0 ? deps : { ...deps, brandMemory: undefined }
    const checked = await check(registration, now)
    if ('answer' in checked) return checked.answer
    if (refused) throw refused
    try {
      return await decide(registration, checked, now)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      // A copy of this request, sent at the same moment, may be the reason, and may have its answer by now.
      refused = error
      throw new LostRace()
    }
  }).catch((error: unknown) => {
    if (error instanceof RequestError) given.tally.add('registrations', 'refused', brandId)
    throw error
  })
  if (!result) throw new Unavailable(`a registration lost ${ATTEMPTS} races`)
  if (result === 'wait') return undefined
  return serialStream ? withSigner(result, deps) : result.encoded
}

interface Checked {
  readonly model: OpenModel
  /** A device that was imported without its assertion, which it gets now. */
  readonly imported: Device | undefined
}

/**
 * Checks whether this request, or this key, was answered before; if not, verifies the model. Throws {@link
 * RequestError}, and {@link LostRace} if the request-id was used in the meantime.
 */
async function check(
  registration: Registration,
  deps: StepDeps,
): Promise<Checked | { readonly answer: Result }> {
  const earlier = await deviceOfRequest(registration, deps)
  const repeated = earlier && (await answerOf(earlier, deps))
  if (repeated) return { answer: repeated }
  if (registration.requestIdExpired) throw staleNonce('request-id', 'expired')
  const model = await trustedModel(registration, deps)
  const device = await deps.devices.findByKey(registration.request.fields)
  const answer = device && (await answerOf(device, deps))
  if (!answer) return { model, imported: device }
  await useRequestId(registration, device, deps.clock(), deps)
  return { answer }
}

/** Returns undefined for a device that was imported without its assertion. Throws `registration-refused`. */
async function answerOf(device: Device, { devices }: Stores): Promise<Result | undefined> {
  const { status, reason } = device
  switch (status) {
    case 'active':
      return devices.findSerialAssertion(device)
    case 'pending':
      return 'wait'
    case 'rejected':
      throw registrationRefused(asSentence(`The operator rejected this device${reason ? `: ${reason}` : ''}`))
    case 'revoked':
      throw registrationRefused(
        'This device is revoked: its key can no longer get a serial of this model. Ask the operator.',
      )
    case 'superseded':
      throw registrationRefused(
        'Another device key now has the serial number of this device. Ask the operator, or create a new device key.',
      )
  }
}

/** A reason can already have a full stop at the end. */
const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Applies the policy to new devices. Throws {@link RequestError}, and {@link LostRace} if another was faster. */
async function decide(
  registration: Registration,
  { model, imported }: Checked,
  deps: StepDeps,
): Promise<Result> {
  const decided = imported ?? (await checkPolicy(registration, model, deps))
  const result = !('proposed' in decided)
    ? await registerImported(registration, decided, deps)
    : model.policy.registration === 'approval'
      ? await waitForApproval(decided, deps)
      : await registerNewDevice(decided, deps)
  deps.tally.add('registrations', result === 'wait' ? 'waits' : 'serial', model.brandId)
  if ('proposed' in decided) warnOfPlaceholder(decided, deps)
  return result
}

function warnOfPlaceholder({ registration, placeholder }: AllowedDevice, { warn }: StepDeps): void {
  if (placeholder === undefined) return
  const { fields } = registration.request
  warn(
    `the device ${fields.deviceKeyId} of ${showModelName(fields)} proposed the serial number ${JSON.stringify(placeholder.slice(0, 64))}, which is a firmware placeholder. The service assigns a different number.`,
  )
}

/** Verifies the chain of the model assertion, and returns the model as the operator configured it. */
async function trustedModel({ model }: Registration, deps: StepDeps): Promise<OpenModel> {
  const stored = await deps.models.findOpen(model.fields)
  if (!stored) throw unknownModel(model.fields)
  const text = encode(model)
  const known = deps.recognised.find(text)
  await explainedAsync(() => verifyChain(known ?? model, deps), 'could not validate model assertion')
  if (!known) deps.recognised.keep(text, model)
  return stored
}

function unknownModel(name: ModelName): RequestError {
  const shown = showModelName(name).slice(0, 128)
  // The brand generic signs for systems without a brand of their own (contract/devices.md 2.4).
  const message =
    name.brandId === 'generic'
      ? `Only Canonical signs serials of the brand generic, so ${shown} cannot be registered here. Give the device a model of your own brand.`
      : `This service does not register devices of ${shown}. Its operator can add the model with \`ratafia models add\`.`
  return registrationRefused(message)
}

/** Returns the serial, its account-key and account, which saves the device two requests (contract/devices.md 2.3). */
async function withSigner(serial: SerialAssertion, stores: Stores): Promise<Uint8Array> {
  const accountKey = await findAssertion('account-key', [serial.signingKeyId], stores)
  const account = await findAssertion('account', [serial.authorityId], stores)
  // The register may not have them for a serial signed elsewhere. The device then looks them up itself.
  if (!accountKey || !account) return serial.encoded
  return encodeStream([decodeStored(serial.encoded), accountKey, account])
}
