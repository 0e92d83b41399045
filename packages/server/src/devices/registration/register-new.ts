/** Gives a device its first serial here: plans and signs it, then stores everything in one transaction. */
import { AssertionError } from '@ratafia/assertions'
import type { SignedSerial } from '../../brands/keys/sign-serial.ts'
import { type StoredModel, showModelName } from '../../brands/models/model-policy.ts'
import type { AuthoredStores } from '../../change.ts'
import { RequestError, registrationRefused } from '../../errors.ts'
import { type Device, showSerialName } from '../device.ts'
import { LostRace, won } from '../lost-race.ts'
import { newDevice } from '../new-device.ts'
import { givenSerial } from '../serials/serial-holder.ts'
import { type AllowedDevice, broughtBy, countApiKeyUse } from './check-policy.ts'
import { planSerial, type SerialPlan, signPlanned, storeSerial, supersedeHolder } from './issue-serial.ts'
import { policyStillAllows } from './policy-still-allows.ts'
import type { Registration, RegistrationResult } from './registration.ts'
import type { SigningQueue } from './signing-queue.ts'
import { standingOutcome } from './standing-outcome.ts'
import { useRequestId } from './use-request-id.ts'

export interface RegisterNewDeps extends AuthoredStores {
  readonly signing: SigningQueue
  /** Tells the operator about a fault that no device can repair. */
  readonly warn: (message: string) => void
}

/**
 * A device that the policy allows. Throws {@link RequestError} `registration-refused` or `invalid-api-key`, and
 * {@link LostRace} if another request was faster.
 */
export async function registerNewDevice(
  allowed: AllowedDevice,
  deps: RegisterNewDeps,
): Promise<RegistrationResult> {
  const { registration, model } = allowed
  const { deviceKeyId } = registration.request.fields
  const turn = await inTurn(registration, deps, async () => {
    const plan = await planSerial(allowed, deps)
    if ('taken' in plan) throw serialTaken(plan.taken, registration)
    // The same request, sent twice at once, was faster.
    if (plan.holder?.deviceKeyId === deviceKeyId) throw new LostRace()
    const at = deps.clock()
    return { plan, at, signed: await signFor(registration, plan, deps) }
  })
  if ('standing' in turn) return turn.standing
  const { plan, at, signed } = turn
  const { serial, revision } = plan
  const decided = { status: 'active', decidedAt: at, decidedBy: 'policy' } as const
  const device = { ...pendingDevice(registration, model, at), ...decided, serial, revision }
  return deps.change(async (stores) => {
    await supersedeHolder(plan, { deviceKeyId, at }, stores)
    won(await stores.devices.add(device))
    await useRequestId(registration, device, at, stores)
    // Late: all devices of the model wait for the row of their key.
    const apiKey = await countApiKeyUse(allowed, at, stores)
    won(await policyStillAllows(allowed, stores))
    const details = { ...givenSerial(device), ...apiKey, ...broughtBy(allowed) }
    await stores.record({ action: 'device.register', subject: device.id, details })
    return storeSerial(signed, { device, at }, stores)
  })
}

/** A device that was imported without its assertion. Throws as {@link registerNewDevice}. */
export async function registerImported(
  registration: Registration,
  device: Device,
  deps: RegisterNewDeps,
): Promise<RegistrationResult> {
  const { brandId, model, serial } = device
  const turn = await inTurn(registration, deps, async () => {
    const given = (await deps.devices.findUse(device)).revision
    // The same device, asking twice at once, was faster. Looked up last: before it no assertion could be stored.
    if (await deps.devices.findSerialAssertion(device)) throw new LostRace()
    const revision = given === undefined ? 0 : given + 1
    const plan = { brandId, model, serial, revision, holder: undefined }
    return { revision, at: deps.clock(), signed: await signFor(registration, plan, deps) }
  })
  if ('standing' in turn) return turn.standing
  const { revision, at, signed } = turn
  return deps.change(async (stores) => {
    won(await stores.devices.setRevision(device, revision))
    await useRequestId(registration, device, at, stores)
    const details = givenSerial({ ...device, revision })
    await stores.record({ action: 'device.register', subject: device.id, details })
    return storeSerial(signed, { device, at }, stores)
  })
}

/** Plans and signs when its turn comes, unless the same device was served meanwhile: do not sign for it twice. */
function inTurn<T>(
  registration: Registration,
  deps: RegisterNewDeps,
  work: () => Promise<T>,
): Promise<T | { readonly standing: RegistrationResult }> {
  return deps.signing.run(registration.request.fields.deviceKeyId, async (again) => {
    const standing = again ? await standingOutcome(registration, deps) : undefined
    return standing ? { standing } : work()
  })
}

/** The row of a new device: pending, without a serial number. */
export const pendingDevice = (
  { request, original }: Registration,
  { brandId, model }: StoredModel,
  at: Date,
): Device =>
  newDevice({
    brandId,
    model,
    deviceKeyId: request.fields.deviceKeyId,
    origin: 'registration',
    original: original ? showSerialName(original.fields) : null,
    registeredAt: at,
  })

/** {@link LostRace} if the holder's key is the request's own: then the same request, sent twice at once, was faster. */
export function serialTaken(
  { serial, deviceKeyId, status }: Device,
  { request }: Registration,
): RequestError | LostRace {
  if (deviceKeyId === request.fields.deviceKeyId) return new LostRace()
  return registrationRefused(
    status === 'revoked'
      ? `The serial number ${serial} belongs to a device that is revoked. Ask the operator.`
      : `The serial number ${serial} belongs to another device key. If it is this device's, ask the operator.`,
  )
}

/** If no key can sign, only the operator learns why. */
async function signFor(
  registration: Registration,
  plan: SerialPlan,
  deps: RegisterNewDeps,
): Promise<SignedSerial> {
  try {
    const signed = await signPlanned(plan, registration.request, deps)
    const { authorityId } = signed.signer
    const { brandId, serialAuthority } = registration.model.fields
    // The device checks its own model assertion, which may have another revision than ours (contract/devices.md 2.3).
    if (authorityId === brandId || serialAuthority.includes(authorityId)) return signed
    throw registrationRefused(
      `The device would not accept a serial signed by ${authorityId}: its model assertion does not name it as a serial-authority. Update the model assertion of the device.`,
    )
  } catch (error) {
    const unfit =
      error instanceof AssertionError || (error instanceof RequestError && error.code === 'invalid-field')
    throw unfit ? cannotSign(error, registration, deps) : error
  }
}

function cannotSign(error: Error, { model }: Registration, { warn }: RegisterNewDeps): RequestError {
  const name = showModelName(model.fields)
  const detail = `no serial of ${name} can be signed: ${error.message}`
  warn(detail)
  const generic = model.fields.serialAuthority.includes('generic')
    ? ' Only Canonical signs serials by generic.'
    : ''
  return registrationRefused(
    `This service has no key that can sign serials of ${name} now.${generic} Its operator can find the reason with \`ratafia models show ${name}\` and in the log.`,
    { private: detail, cause: error },
  )
}
