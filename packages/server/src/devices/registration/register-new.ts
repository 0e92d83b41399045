/** A device that has no serial yet: whether the policy of its model lets it in, and its way into the register. */
import { newDeviceId } from '@ratafia/api'
import { AssertionError, encode } from '@ratafia/assertions'
import type { SignedSerial } from '../../brands/keys/sign-serial.ts'
import type { AllowListStore } from '../../brands/models/allow-list/allow-list-store.ts'
import { checkApiKey, type UseApiKeyDeps, useApiKey } from '../../brands/models/api-keys/use-api-key.ts'
import type { FindHardwareDeps } from '../../brands/models/hardware/find-hardware-identity.ts'
import { type StoredModel, showModelName } from '../../brands/models/model-policy.ts'
import type { Details, Recording } from '../../change.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import { type Device, showSerialName } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { LostRace, won } from '../lost-race.ts'
import { givenSerial } from '../serial-holder.ts'
import type { CloneStore } from '../sessions/clone-store.ts'
import { checkHardware } from './check-hardware.ts'
import { checkRemodel, type RemodelDeps } from './check-remodel.ts'
import { type IssueDeps, issueSerial, planSerial, type SerialIssue } from './issue-serial.ts'
import { isStillAdmitted } from './policy-still-allows.ts'
import { originalOf, proposedSerial } from './read-registration.ts'
import type { RegisterStores } from './register-stores.ts'
import { type Ask, type Outcome, registrationOf } from './registration.ts'
import type { SigningQueue } from './signing-queue.ts'

export interface EnterDeps extends IssueDeps, FindHardwareDeps, Pick<UseApiKeyDeps, 'apiKeys'> {
  readonly models: IssueDeps['models'] & RemodelDeps['models']
  readonly allowList: Pick<AllowListStore, 'has'>
  readonly devices: IssueDeps['devices'] & RemodelDeps['devices'] & Pick<DeviceStore, 'countPending'>
  readonly clones: Pick<CloneStore, 'record'>
  readonly signing: SigningQueue
  /** Tells the operator of what no device can heal. */
  readonly warn: (message: string) => void
}

/** A device that was approved or rejected makes place. */
const MAX_PENDING = 10_000
const MAX_PENDING_BYTES = 64 * 1024

/**
 * Makes the device active with a new serial, or pending. `present` is asked again when its turn to sign has come.
 * Throws {@link RequestError} `registration-refused`, `invalid-api-key` or `invalid-assertion`, {@link LostRace} when
 * somebody was faster, `Unavailable` when too many wait.
 */
export async function enter(
  ask: Ask,
  model: StoredModel,
  present: () => Promise<Outcome | undefined>,
  deps: EnterDeps,
): Promise<Outcome> {
  const known = await deps.devices.findByKey(ask.request.fields)
  const signed = (work: () => Promise<Outcome>) => deps.signing.run(async () => (await present()) ?? work())
  if (known) return signed(() => issueForKnown(ask, known, deps))
  const proposed = await admit(ask, model, deps)
  if (model.policy.registration === 'approval') return makeWait(ask, model, proposed, deps)
  return signed(() => issueNew(ask, model, proposed, deps))
}

/** All that the policy asks of a new device. Returns the serial number that it is to have; undefined: we make one. */
async function admit(ask: Ask, model: StoredModel, deps: EnterDeps): Promise<string | undefined> {
  const { request, original } = ask
  const { policy } = model
  // First, so that whoever has none learns nothing else.
  const verdict = await checkApiKey({ text: ask.apiKey, model }, deps)
  if (!verdict.accepted) throw new RequestError('invalid-api-key', verdict.message)
  const proposed = proposedSerial(request, policy.proposedSerial)
  if (proposed !== undefined) await recordSecondKey(ask, model, proposed, deps)
  const device = { model, serial: proposed ?? null, deviceKeyId: request.fields.deviceKeyId }
  if (policy.registration === 'allow-list' && !(await deps.allowList.has(model, device)))
    throw notAllowed(device)
  if (policy.hardwareIdentity) await checkHardware(request, deps)
  if (original) await checkRemodel(original, model, deps)
  return proposed
}

function notAllowed({ serial, deviceKeyId }: { serial: string | null; deviceKeyId: string }): RequestError {
  const what = serial === null ? '' : `the serial number ${serial} or `
  return refused(
    `This device is not on the allow-list of its model. Ask the operator to import ${what}the device key ${deviceKeyId}.`,
  )
}

/** Whatever becomes of the request: a second key for one serial number is what a clone would show. */
async function recordSecondKey(
  { request, caller }: Ask,
  { brandId, model }: StoredModel,
  serial: string,
  { devices, clones, clock }: EnterDeps,
): Promise<void> {
  const { deviceKeyId } = request.fields
  const holder = await devices.findHolder({ brandId, model, serial })
  if (!holder || holder.deviceKeyId === deviceKeyId) return
  await clones.record({
    deviceId: holder.id,
    kind: 'second-key',
    subject: deviceKeyId,
    details: { address: caller.address, 'user-agent': caller.userAgent },
    at: clock(),
  })
}

async function makeWait(
  ask: Ask,
  model: StoredModel,
  proposed: string | undefined,
  deps: EnterDeps,
): Promise<Outcome> {
  const request = encode(ask.request)
  if (request.length > MAX_PENDING_BYTES) {
    throw refused(
      `The serial-request is larger than the ${MAX_PENDING_BYTES / 1024} KiB of one that waits. Shorten its body.`,
    )
  }
  if ((await deps.devices.countPending(model)) >= MAX_PENDING) {
    throw new Unavailable(`${MAX_PENDING} devices of ${showModelName(model)} wait for approval`)
  }
  if (proposed !== undefined) {
    const plan = await planSerial({ model, proposed }, deps)
    if ('taken' in plan) throw taken(plan.taken, ask)
  }
  const at = deps.clock()
  const device = { ...newDevice(ask, model, at), serial: proposed ?? '' }
  await deps.change(async (stores) => {
    won(await stores.devices.add(device, request))
    const key = await useUp(ask, device, at, stores)
    won(await isStillAdmitted({ ask, model, proposed }, stores))
    const { brandId, deviceKeyId } = device
    const details = {
      model: showModelName({ brandId, model: device.model }),
      'device-key': deviceKeyId,
      ...key,
    }
    await stores.record({ action: 'device.wait', subject: device.id, details })
  })
  return 'wait'
}

async function issueNew(
  ask: Ask,
  model: StoredModel,
  proposed: string | undefined,
  deps: EnterDeps,
): Promise<Outcome> {
  const plan = await planSerial({ model, proposed }, deps)
  if ('taken' in plan) throw taken(plan.taken, ask)
  // It won a race of the same request against itself.
  if (plan.holder?.deviceKeyId === ask.request.fields.deviceKeyId) throw new LostRace()
  const { serial, revision } = plan
  const at = deps.clock()
  const decided = { status: 'active', decidedAt: at, decidedBy: 'policy' } as const
  const device = { ...newDevice(ask, model, at), ...decided, serial, revision }
  const enterRegister = async (stores: RegisterStores & Recording) => {
    won(await stores.devices.add(device))
    const details = { ...givenSerial(device), ...(await useUp(ask, device, at, stores)) }
    won(await isStillAdmitted({ ask, model, proposed }, stores))
    await stores.record({ action: 'device.register', subject: device.id, details })
    return device
  }
  return issue({ plan, request: ask.request, at, enter: enterRegister }, ask, deps)
}

/** It was imported without its assertion: the first that is signed here. */
async function issueForKnown(ask: Ask, device: Device, deps: EnterDeps): Promise<Outcome> {
  const { brandId, model, serial } = device
  const stored = await deps.devices.findSerialAssertion({ brandId, model, serial })
  // The same device, asking twice at once: it has its assertion since it was looked for.
  if (stored?.deviceId === device.id) throw new LostRace()
  const revision = Math.max(device.revision ?? -1, stored?.revision ?? -1) + 1
  const at = deps.clock()
  const enterRegister = async ({ devices, registrations, record }: RegisterStores & Recording) => {
    won(await devices.setRevision(device.id, revision))
    won(await registrations.add(registrationOf(ask, device, at)))
    const known = { ...device, revision }
    await record({ action: 'device.register', subject: device.id, details: givenSerial(known) })
    return known
  }
  const plan = { brandId, model, serial, revision, holder: undefined }
  return issue({ plan, request: ask.request, at, enter: enterRegister }, ask, deps)
}

const newDevice = ({ request, original }: Ask, { brandId, model }: StoredModel, at: Date): Device => ({
  id: newDeviceId(),
  brandId,
  model,
  serial: '',
  deviceKeyId: request.fields.deviceKeyId,
  status: 'pending',
  revision: null,
  origin: 'registration',
  original: original ? showSerialName(originalOf(original)) : null,
  registeredAt: at,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  quarantinedAt: null,
})

/**
 * The request-id, and one use of the API key. Last the key, whose row all devices of the model wait for. Returns which
 * it was, for the log.
 */
async function useUp(
  ask: Ask,
  device: Device,
  at: Date,
  { registrations, apiKeys }: RegisterStores,
): Promise<Details> {
  won(await registrations.add(registrationOf(ask, device, at)))
  const verdict = await useApiKey({ text: ask.apiKey, model: device }, { apiKeys, clock: () => at })
  if (!verdict.accepted) throw new RequestError('invalid-api-key', verdict.message)
  return verdict.key ? { 'api-key': verdict.key.id } : {}
}

/** Signs and stores; that no key can sign is the operator's to heal, and the device hears no more than that. */
async function issue(issuing: SerialIssue, ask: Ask, deps: EnterDeps): Promise<Outcome> {
  try {
    const issued = await issueSerial({ ...issuing, check: (signed) => checkAuthority(signed, ask) }, deps)
    if (issued) return issued.assertion
  } catch (error) {
    const unfit =
      error instanceof AssertionError || (error instanceof RequestError && error.code === 'invalid-field')
    if (unfit) throw cannotSign(error, ask, deps)
    throw error
  }
  throw new LostRace()
}

/** The device asks its own model assertion, which may be another revision than ours (contract/devices.md 2.3). */
function checkAuthority({ signer }: SignedSerial, { model }: Ask): void {
  const { brandId, serialAuthority } = model.fields
  if (signer.authorityId === brandId || serialAuthority.includes(signer.authorityId)) return
  throw refused(
    `The device would not take a serial signed by ${signer.authorityId}: its model assertion does not name it as a serial-authority. Update the model assertion of the device.`,
  )
}

function cannotSign(error: Error, { model }: Ask, { warn }: EnterDeps): RequestError {
  const name = showModelName(model.fields)
  const detail = `no serial of ${name} can be signed: ${error.message}`
  warn(detail)
  const generic = model.fields.serialAuthority.includes('generic')
    ? ' Serials by generic are signed by Canonical alone.'
    : ''
  return refused(
    `This service has no key that can sign serials of ${name} now.${generic} Its operator finds the reason with \`ratafia models show ${name}\` and in the log.`,
    { private: detail, cause: error },
  )
}

/** The holder's key may be that of the request, which then won a race against itself. */
function taken({ serial, deviceKeyId, status }: Device, { request }: Ask): Error {
  if (deviceKeyId === request.fields.deviceKeyId) return new LostRace()
  return refused(
    status === 'revoked'
      ? `The serial number ${serial} belongs to a device that is revoked. Ask the operator.`
      : `The serial number ${serial} belongs to another device key. If it is this device's, ask the operator.`,
  )
}

const refused = (message: string, details: { private?: string; cause?: unknown } = {}) =>
  new RequestError('registration-refused', message, details)
