/** Approves a device: signs and stores its serial, which the device gets at its next poll. */
import { isStrictSerial } from '@ratafia/assertions'
import { requireForBrand } from '../../../authority.ts'
import type { SignedSerial } from '../../../brands/keys/sign-serial.ts'
import { signerOrFault } from '../../../brands/keys/signer-for.ts'
import { type StoredModel, showModelName } from '../../../brands/models/model-policy.ts'
import { decodeStored } from '../../../brands/trust/trust.ts'
import type { AuthoredStores, Recording } from '../../../change.ts'
import { invalidField, type RequestError, stateConflict } from '../../../errors.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import { type Device, showSerialName } from '../../device.ts'
import {
  type DecidedDevice,
  type DeviceDecision,
  deviceConflict,
  findDevice,
  goneDevice,
} from '../../find-device.ts'
import { retryLostRaces, won } from '../../lost-race.ts'
import { givenSerial } from '../../serials/serial-holder.ts'
import { planSerial, type SerialPlan, signPlanned, storeSerial, takeSerial } from '../issue-serial.ts'

interface Approval extends DeviceDecision {
  /** Replaces the number that the device proposed or that the model would generate. */
  readonly serial?: string | undefined
  /** Whether to sign and store nothing, and to leave the template's next number unused. */
  readonly dryRun?: boolean
}

const ATTEMPTS = 10

/**
 * Approves a pending or rejected device. Leaves a device unchanged that is already active, with this serial number if
 * one is given. Throws {@link RequestError}: as `findDevice` does; `permission-denied`; `state-conflict` if another
 * operator has decided otherwise, or another device has the serial number; `invalid-field` for an invalid serial
 * number, or if no key can sign (with the remedy); and the errors of `mustBeSeen`.
 */
export async function approveDevice(
  { name, serial, authority, mustBeSeen, dryRun = false }: Approval,
  stores: Stores,
): Promise<DecidedDevice> {
  if (serial !== undefined && !(isStrictSerial(serial) && serial.length <= 128)) {
    throw invalidField(
      `${JSON.stringify(serial.slice(0, 128))} is not a serial number: use up to 128 letters and digits, with single dashes, colons and pluses between them.`,
    )
  }
  const found = await findDevice({ name, prefer: ['pending', 'rejected'], authority }, stores)
  requireForBrand(authority, 'devices:decide', found.brandId)
  if (found.status === 'active' && (serial === undefined || serial === found.serial)) {
    mustBeSeen?.(found)
    return { device: found, before: true }
  }
  const model = await modelOfWaiting(found, stores)
  const issuing = { ...stores, change: stores.changeBy(authority.author) }
  if (dryRun) {
    mustBeSeen?.(found)
    const preview = await previewApproval({ found, model, serial }, issuing)
    const decided = {
      status: 'active',
      decidedAt: stores.clock(),
      decidedBy: authority.by,
      reason: null,
    } as const
    return { device: { ...preview, ...decided }, before: false }
  }
  const { by } = authority
  const approved = await retryLostRaces(ATTEMPTS, async () => {
    const ready = await prepareApproval({ found, model, serial, by }, issuing)
    return issuing.change((transaction) => storeApproval(ready, transaction, mustBeSeen))
  })
  if (approved) return { device: approved, before: false }
  throw stateConflict(`The device ${found.id} keeps changing. Try again.`)
}

/** Throws `state-conflict` for a device that is not waiting, or whose model was removed. */
async function modelOfWaiting(device: Device, { models }: TransactionStores): Promise<StoredModel> {
  if (device.status !== 'pending' && device.status !== 'rejected') {
    throw deviceConflict(device, ' is not pending.')
  }
  const model = await models.find(device)
  if (model) return model
  throw stateConflict(`The model ${showModelName(device)} was removed.`)
}

/** A serial that is signed but not stored. */
interface ReadyApproval {
  /** The device after the approval. */
  readonly device: Device
  readonly plan: SerialPlan
  readonly signed: SignedSerial
  /** The status that the device must still have. */
  readonly from: 'pending' | 'rejected'
}

interface Previewed {
  readonly found: Device
  readonly model: StoredModel
  readonly serial?: string | undefined
}

/**
 * Returns the device as it would be after an approval now. Signs and stores nothing. The number that a
 * template would give isn't known in advance. Throws {@link RequestError} as {@link approveDevice} does.
 */
async function previewApproval({ found, model, serial }: Previewed, stores: AuthoredStores): Promise<Device> {
  const signer = await signerOrFault(model, stores)
  if ('fault' in signer) throw invalidField(signer.fault)
  const proposed = serial ?? (found.serial || undefined)
  if (proposed === undefined) return found
  const plan = await planSerial({ model, proposed }, stores)
  if ('taken' in plan) throw serialTakenBy(plan.taken)
  return { ...found, serial: plan.serial }
}

interface ToApprove extends Previewed {
  readonly by: string
}

/** Plans and signs; stores nothing. Throws {@link RequestError} as {@link approveDevice} does. */
async function prepareApproval(
  { found, model, serial, by }: ToApprove,
  stores: AuthoredStores,
): Promise<ReadyApproval> {
  const { request, status } = await waitingRequest(found, stores)
  const plan = await planSerial({ model, proposed: serial ?? (found.serial || undefined) }, stores)
  if ('taken' in plan) throw serialTakenBy(plan.taken)
  const signed = await signPlanned(plan, request, stores)
  const { serial: given, revision } = plan
  const decided = { decidedAt: stores.clock(), decidedBy: by, reason: null }
  const device: Device = { ...found, ...decided, serial: given, revision, status: 'active' }
  return { device, plan, signed, from: status }
}

/** Runs in the transaction. Throws `LostRace`; the transaction must then be rolled back. */
async function storeApproval(
  { device, plan, signed, from }: ReadyApproval,
  stores: TransactionStores & Recording,
  mustBeSeen?: DeviceDecision['mustBeSeen'],
): Promise<Device> {
  const { id, deviceKeyId, decidedAt, decidedBy } = device
  if (decidedAt === null || decidedBy === null)
    throw new TypeError(`device ${id} is approved without a decision`)
  if (mustBeSeen) {
    const now = await stores.devices.lock(device)
    if (!now) throw goneDevice(device)
    mustBeSeen(now)
  }
  await takeSerial(plan, { deviceKeyId, at: decidedAt }, stores)
  const decision = { at: decidedAt, by: decidedBy, reason: null }
  won(await stores.devices.activate({ ...device, revision: plan.revision }, from, decision))
  await stores.record({ action: 'device.approve', subject: id, details: givenSerial(device) })
  await storeSerial(signed, { device, at: decidedAt }, stores)
  return device
}

/**
 * Reads the request again for each attempt: another command may have decided in the meantime, and the
 * operator approves only the state they saw.
 */
async function waitingRequest(found: Device, { devices }: TransactionStores) {
  const { id } = found
  const device = await devices.find(found)
  const encoded = await devices.findRequest(found)
  if (!device) throw goneDevice(found)
  if (!encoded || (device.status !== 'pending' && device.status !== 'rejected')) {
    throw deviceConflict(device, ' is not pending.')
  }
  if (device.status !== found.status) {
    const why = device.reason === null ? '' : ` (${device.reason})`
    throw stateConflict(
      `The device ${id} was just ${device.status} by ${device.decidedBy}${why}. To give it a serial anyway, approve it again.`,
    )
  }
  const request = decodeStored(encoded)
  // Only verified serial-requests are stored.
  if (request.type !== 'serial-request') throw new TypeError(`device ${id} waits with a ${request.type}`)
  return { request, status: device.status }
}

/** The error for one of several devices that are checked before any of them is approved. */
export const wantsSameSerial = (other: string): RequestError =>
  stateConflict(`The device ${other} wants the same serial number. Choose another one for this device.`)

function serialTakenBy(holder: Device): RequestError {
  const whose = `${showSerialName(holder)} belongs to the device ${holder.id}, which is ${holder.status}`
  return stateConflict(
    holder.status === 'revoked'
      ? `${whose}: a revoked device keeps its serial number. Choose another one.`
      : `${whose}${holder.quarantinedAt ? ' and in quarantine' : ''}. Choose another serial number, or let the model's policy reissue taken ones.`,
  )
}
