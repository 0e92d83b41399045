/**
 * `POST devices`: a device asks for its serial (contract/devices.md 2). The steps are receive, check, decide, sign and
 * store. What is looked up before the signature only saves work and explains a refusal: the constraints in the
 * transaction at the end decide, and the loser of a race starts again.
 */
import { createHash } from 'node:crypto'
import { encode, encodeStream, type UnverifiedAssertion } from '@ratafia/assertions'
import { type ModelName, type OpenModel, showModelName } from '../../brands/models/model-policy.ts'
import { decodeStored } from '../../brands/trust/decode-stored.ts'
import type { Recognised } from '../../brands/trust/recognised.ts'
import { findAssertion } from '../../brands/trust/trust.ts'
import { verifyChain } from '../../brands/trust/verify-chain.ts'
import { type AuthoredStores, deviceKeyActor } from '../../change.ts'
import type { Tally } from '../../counting/tally.ts'
import { RequestError, registrationRefused, Unavailable } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Caller, SerialAssertion } from '../device.ts'
import { explainedAsync } from '../explained.ts'
import { retryLostRaces } from '../lost-race.ts'
import { openNonce, staleNonce } from '../nonce.ts'
import { type WaitDeps, waitForApproval } from './approval/wait-for-approval.ts'
import { type AllowedDevice, checkPolicy } from './check-policy.ts'
import { readRegistration } from './read-registration.ts'
import { type RegisterNewDeps, registerImported, registerNewDevice } from './register-new.ts'
import type { Registration, RegistrationResult } from './registration.ts'
import { outcomeOfKey, outcomeOfRequest, standingOutcome } from './standing-outcome.ts'

interface StepDeps extends AuthoredStores, RegisterNewDeps, WaitDeps {
  readonly recognised: Recognised<UnverifiedAssertion<'model'>>
  readonly tally: Tally
}

export type RegisterDeps = Omit<StepDeps, 'change'>

export interface RegisterInput {
  /** The body: serial-request, model and, at a remodel, the original serial. */
  readonly stream: Uint8Array
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  /** Whether the device takes more than the serial. */
  readonly serialStream: boolean
  readonly caller: Caller
}

/** More than enough for all devices that ask for one serial at the same moment. */
const ATTEMPTS = 20

/**
 * The encoded answer; undefined while the device waits for approval. The same request (request-id, key and everything
 * else that is signed) always gets the same answer, however late it is repeated. Throws {@link RequestError}
 * `invalid-assertion`, `invalid-nonce`, `registration-refused` or `invalid-api-key`, and then nothing is used up;
 * {@link Unavailable} if too many wait.
 */
export async function registerDevice(
  input: RegisterInput,
  given: RegisterDeps,
): Promise<Uint8Array | undefined> {
  const registration = await receive(input, given)
  const { deviceKeyId, brandId } = registration.request.fields
  const change = given.changeBy({ actor: deviceKeyActor(deviceKeyId), source: input.caller.address })
  const deps = { ...given, change }
  // What is remembered may be why a race was lost: the second attempt reads everything.
  const result = await retryLostRaces(ATTEMPTS, (attempt) =>
    register(registration, attempt === 0 ? deps : { ...deps, brandMemory: undefined }),
  ).catch((error: unknown) => {
    if (error instanceof RequestError) given.tally.add('registrations', 'refused', brandId)
    throw error
  })
  if (!result) throw new Unavailable(`a registration lost ${ATTEMPTS} races`)
  if (result === 'wait') return undefined
  return input.serialStream ? withSigner(result, deps) : result.encoded
}

async function receive({ stream, apiKey, caller }: RegisterInput, deps: Stores): Promise<Registration> {
  const parts = readRegistration(stream)
  const { hash, expired } = await openNonce('request-id', parts.request.fields.requestId, deps)
  const requestHash = createHash('sha256').update(parts.request.content).digest()
  return { ...parts, apiKey, caller, requestIdHash: hash, requestIdExpired: expired, requestHash }
}

/** One attempt. Throws `LostRace` if another request was faster. */
async function register(registration: Registration, deps: StepDeps): Promise<RegistrationResult> {
  const repeated = await outcomeOfRequest(registration, deps)
  if (repeated) return repeated
  if (registration.requestIdExpired) throw staleNonce('request-id', 'expired')
  const model = await trustedModel(registration, deps)
  const known = await outcomeOfKey(registration, deps)
  if (known?.result) return known.result
  try {
    // The policy is for new devices.
    const decided = known ?? (await checkPolicy(registration, model, deps))
    const result = !('proposed' in decided)
      ? await registerImported(registration, decided.device, deps)
      : model.policy.registration === 'approval'
        ? await waitForApproval(decided, deps)
        : await registerNewDevice(decided, deps)
    deps.tally.add('registrations', result === 'wait' ? 'waits' : 'serial', model.brandId)
    if ('proposed' in decided) warnOfPlaceholder(decided, deps)
    return result
  } catch (error) {
    // A copy of this request, sent at the same moment, may have caused the refusal: then return what the copy got.
    const standing = error instanceof RequestError ? await standingOutcome(registration, deps) : undefined
    if (!standing) throw error
    return standing
  }
}

function warnOfPlaceholder({ registration, placeholder }: AllowedDevice, { warn }: StepDeps): void {
  if (placeholder === undefined) return
  const { fields } = registration.request
  warn(
    `the device ${fields.deviceKeyId} of ${showModelName(fields)} proposed the serial number ${JSON.stringify(placeholder.slice(0, 64))}, which is what firmware says before its number is programmed. The service gives it another.`,
  )
}

/** The model as the operator set it up, once the chain of the model assertion is verified. */
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
  // The account that signs for systems without a brand of their own (contract/devices.md 2.4).
  const message =
    name.brandId === 'generic'
      ? `Only Canonical signs serials of the brand generic, so ${shown} cannot be registered here. Give the device a model of your own brand.`
      : `This service registers no devices of ${shown}. Its operator adds the model with \`ratafia models add\`.`
  return registrationRefused(message)
}

/** Serial, account-key and account, to spare the device two requests (contract/devices.md 2.3). */
async function withSigner(serial: SerialAssertion, deps: Stores): Promise<Uint8Array> {
  const accountKey = await findAssertion('account-key', [serial.signingKeyId], deps)
  const account = await findAssertion('account', [serial.authorityId], deps)
  // They may be missing for a serial signed elsewhere: then the device looks for them itself.
  if (!accountKey || !account) return serial.encoded
  return encodeStream([decodeStored(serial.encoded), accountKey, account])
}
