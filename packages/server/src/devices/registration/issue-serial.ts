/**
 * Issues a serial in three steps: plan the number, sign the assertion, store everything in one transaction.
 * The loser of a race discards its signature, and nothing is ever half done (decision 0018).
 */
import { AssertionError, type UnverifiedAssertion } from '@ratafia/assertions'
import { type SignedSerial, signSerial } from '../../brands/keys/sign-serial.ts'
import { type StoredModel, showModelName } from '../../brands/models/model-policy.ts'
import { generateSerial } from '../../brands/models/serial-template.ts'
import type { AuthoredStores, Recording } from '../../change.ts'
import { RequestError, registrationRefused, Unavailable } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { type Device, type SerialAssertion, type SerialName, showSerialName } from '../device.ts'
import type { SerialUse } from '../device-store.ts'
import { LostRace, won } from '../lost-race.ts'
import { newDevice } from '../new-device.ts'
import { givenSerial, givesWay, serialAssertion, supersedeHolder } from '../serials/serial-holder.ts'
import { type AllowedDevice, broughtBy, countApiKeyUse, policyStillAllows } from './check-policy.ts'
import type { Registration } from './read-registration.ts'
import type { SigningQueue } from './signing-queue.ts'
import { useRequestId } from './use-request-id.ts'

export interface RegisterNewDeps extends AuthoredStores {
  readonly signing: SigningQueue
  /** Reports a problem that devices cannot repair to the operator. */
  readonly warn: (message: string) => void
}

/**
 * Registers a device that the policy allows. Throws `registration-refused` or `invalid-api-key`, and {@link LostRace}
 * if another request was faster.
 */
export async function registerNewDevice(
  allowed: AllowedDevice,
  deps: RegisterNewDeps,
): Promise<SerialAssertion> {
  const { registration, model } = allowed
  const { deviceKeyId } = registration.request.fields
  const { plan, at, signed } = await deps.signing.run(async () => {
    const plan = await planRegistration(allowed, deps)
    return { plan, at: deps.clock(), signed: await signFor(registration, plan, deps) }
  })
  const { serial, revision } = plan
  const decided = { status: 'active', decidedAt: at, decidedBy: 'policy' } as const
  const device = { ...pendingDevice(registration, model, at), ...decided, serial, revision }
  return deps.change(async (stores) => {
    await takeSerial(plan, { deviceKeyId, at }, stores)
    won(await stores.devices.add(device))
    await useRequestId(registration, device, at, stores)
    // Counted late, because all devices of the model wait for the lock on their key's row.
    const apiKey = await countApiKeyUse(allowed, at, stores)
    won(await policyStillAllows(allowed, stores))
    const details = { ...givenSerial(device), ...apiKey, ...broughtBy(allowed) }
    await stores.record({ action: 'device.register', subject: device.id, details })
    return storeSerial(signed, { device, at }, stores)
  })
}

/** Issues a serial to a device that was imported without its assertion. Throws as {@link registerNewDevice} does. */
export async function registerImported(
  registration: Registration,
  device: Device,
  deps: RegisterNewDeps,
): Promise<SerialAssertion> {
  const { brandId, model, serial } = device
  const { revision, at, signed } = await deps.signing.run(async () => {
    const given = (await deps.devices.findUse(device)).revision
    // The same device sent two requests at once and the other was faster. Looked up last: an assertion can't
    // be stored before that.
    if (await deps.devices.findSerialAssertion(device)) throw new LostRace()
    const revision = given === undefined ? 0 : given + 1
    const plan = { brandId, model, serial, revision }
    return { revision, at: deps.clock(), signed: await signFor(registration, plan, deps) }
  })
  return deps.change(async (stores) => {
    won(await stores.devices.setRevision(device, revision))
    await useRequestId(registration, device, at, stores)
    const details = givenSerial({ ...device, revision })
    await stores.record({ action: 'device.register', subject: device.id, details })
    return storeSerial(signed, { device, at }, stores)
  })
}

/** Returns the row of a new device: pending, without a serial number. */
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

/** A serial number that can be given, and the device that would lose it. */
export interface SerialPlan extends SerialName {
  /** 0 for the first assertion of this serial number. */
  readonly revision: number
  /** The active device that the new key replaces. */
  readonly holder: Device | undefined
}

/** The device that keeps the serial number, because of the policy or its status. */
interface SerialTaken {
  readonly taken: Device
}

interface ToPlan {
  readonly model: StoredModel
  readonly proposed: string | undefined
  /** The use of the proposed number, if it was just read. */
  readonly use?: SerialUse | undefined
}

/** Plans which serial number to give. Without `proposed`, the service generates one. */
export async function planSerial(
  { model, proposed, use }: ToPlan,
  stores: AuthoredStores,
): Promise<SerialPlan | SerialTaken> {
  if (proposed === undefined) return planNewNumber(model, stores)
  const name = { brandId: model.brandId, model: model.model, serial: proposed }
  const { holder, revision } = use ?? (await stores.devices.findUse(name))
  if (holder && !givesWay(holder, model.policy)) return { taken: holder }
  return { ...name, holder, revision: revision === undefined ? 0 : revision + 1 }
}

/** How many numbers of a template one request skips at most because they are already in use. */
const SKIPPED_NUMBERS = 100

async function planNewNumber(model: StoredModel, stores: AuthoredStores): Promise<SerialPlan> {
  for (let attempt = 0; attempt < SKIPPED_NUMBERS; attempt++) {
    const serial = await generateSerial(model, stores)
    const plan = { brandId: model.brandId, model: model.model, serial, holder: undefined, revision: 0 }
    // A new UUID is unused; the constraints would notice otherwise.
    if (model.policy.serialTemplate === null) return plan
    const { holder, revision } = await stores.devices.findUse(plan)
    if (!holder && revision === undefined) return plan
  }
  // The counter keeps its position, so a retry continues from here.
  throw new Unavailable(`${SKIPPED_NUMBERS} numbers of ${model.brandId}/${model.model} in a row are taken`)
}

/**
 * Does the same as {@link planSerial} for a registering device. Throws `registration-refused`, and {@link LostRace} if
 * its own key has the number: the same request, sent twice at once, was then faster.
 */
export async function planRegistration(allowed: AllowedDevice, stores: AuthoredStores): Promise<SerialPlan> {
  const plan = await planSerial(allowed, stores)
  const holder = 'taken' in plan ? plan.taken : plan.holder
  if (holder?.deviceKeyId === allowed.registration.request.fields.deviceKeyId) throw new LostRace()
  if (!('taken' in plan)) return plan
  const { serial, status } = plan.taken
  throw registrationRefused(
    status === 'revoked'
      ? `The serial number ${serial} belongs to a device that is revoked. Ask the operator.`
      : `The serial number ${serial} belongs to another device key. If it is this device's, ask the operator.`,
  )
}

/**
 * Signs a planned serial. `request` is verified to be signed with the device key it contains; the serial
 * repeats its body. Throws as `signSerial` does.
 */
export function signPlanned(
  { brandId, model, serial, revision }: SerialName & { readonly revision: number },
  request: UnverifiedAssertion<'serial-request'>,
  stores: Stores,
): Promise<SignedSerial> {
  const { deviceKey } = request.fields
  const body = request.body.length > 0 ? { body: request.body } : {}
  return signSerial({ brandId, model, serial, deviceKey, revision, ...body }, stores)
}

/** Does the same as {@link signPlanned} for a registering device. If no key can sign, only the operator learns why. */
async function signFor(
  { request, model }: Registration,
  plan: Parameters<typeof signPlanned>[0],
  deps: RegisterNewDeps,
): Promise<SignedSerial> {
  try {
    const signed = await signPlanned(plan, request, deps)
    const { authorityId } = signed.signer
    const { brandId, serialAuthority } = model.fields
    // The device checks this against its own model assertion, which can have a different revision than ours
    // (contract/devices.md 2.3).
    if (authorityId === brandId || serialAuthority.includes(authorityId)) return signed
    throw registrationRefused(
      `The device would not accept a serial signed by ${authorityId}: its model assertion does not name it as a serial-authority. Update the model assertion of the device.`,
    )
  } catch (error) {
    const unfit =
      error instanceof AssertionError || (error instanceof RequestError && error.code === 'invalid-field')
    throw unfit ? cannotSign(error, model, deps) : error
  }
}

function cannotSign(
  error: Error,
  { fields }: Registration['model'],
  { warn }: RegisterNewDeps,
): RequestError {
  const name = showModelName(fields)
  const detail = `no serial of ${name} can be signed: ${error.message}`
  warn(detail)
  const generic = fields.serialAuthority.includes('generic')
    ? ' Only Canonical signs serials for generic.'
    : ''
  return registrationRefused(
    `This service has no key that can sign serials of ${name} now.${generic} Its operator can find the reason with \`ratafia models show ${name}\` and in the log.`,
    { private: detail, cause: error },
  )
}

/** Runs first in the transaction. Throws {@link LostRace} if the holder is no longer active. */
export async function takeSerial(
  { holder }: SerialPlan,
  { deviceKeyId, at }: { readonly deviceKeyId: string; readonly at: Date },
  stores: TransactionStores & Recording,
): Promise<void> {
  const reason = `The serial number was reissued to the device key ${deviceKeyId}.`
  if (holder) await supersedeHolder(holder, { deviceKeyId, at, reason }, stores)
}

/** Runs last in the transaction. Throws {@link LostRace} if the signing key was disabled in the meantime. */
export async function storeSerial(
  { assertion: signed }: SignedSerial,
  { device, at }: { readonly device: Device; readonly at: Date },
  { devices, brands }: TransactionStores,
): Promise<SerialAssertion> {
  const assertion = serialAssertion(signed, device)
  won(await devices.addSerialAssertion(assertion, at))
  won(await brands.mayUse(assertion.signingKeyId))
  return assertion
}
