/** The operator approves a device: its serial is signed and stored, and its next poll gets it. */
import { isStrictSerial } from '@ratafia/assertions'
import { showModelName } from '../../../brands/models/model-policy.ts'
import { decodeStored } from '../../../brands/trust/decode-stored.ts'
import { invalidField, type RequestError } from '../../../errors.ts'
import { type Device, describeDevice, showSerialName } from '../../device.ts'
import type { DeviceStore } from '../../device-store.ts'
import { findDevice, type OperatorDecision } from '../../find-device.ts'
import { retryLostRaces, won } from '../../lost-race.ts'
import { givenSerial } from '../../serial-holder.ts'
import { type IssueDeps, planSerial, signPlanned, storeSerial, supersedeHolder } from '../issue-serial.ts'

interface Approval extends OperatorDecision {
  /** Replaces the number that the device proposed or the model would generate. */
  readonly serial?: string | undefined
}

const ATTEMPTS = 10

/**
 * Approves a pending or rejected device. Throws {@link RequestError} `invalid-field` if someone else has decided in the
 * meantime, if another device has the serial number, or if no key can sign (with what to do about it).
 */
export async function approveDevice({ name, serial, by }: Approval, deps: IssueDeps): Promise<Device> {
  if (serial !== undefined && !(isStrictSerial(serial) && serial.length <= 128)) {
    throw invalidField(
      `${JSON.stringify(serial.slice(0, 128))} is not a serial number: use up to 128 letters and digits, with single dashes, colons and pluses between them.`,
    )
  }
  const found = await findDevice(name, ['pending', 'rejected'], deps)
  if (found.status !== 'pending' && found.status !== 'rejected') {
    throw invalidField(`${describeDevice(found)} is not waiting for a decision.`)
  }
  const model = await deps.models.find(found)
  if (!model) throw invalidField(`The model ${showModelName(found)} was removed.`)
  const { id, deviceKeyId } = found
  const at = deps.clock()
  const approved = await retryLostRaces(ATTEMPTS, async () => {
    const { request, status } = await waitingRequest(found, deps)
    const plan = await planSerial({ model, proposed: serial ?? (found.serial || undefined) }, deps)
    if ('taken' in plan) throw takenBy(plan.taken)
    const signed = await signPlanned(plan, request, deps)
    const { serial: given, revision } = plan
    const decided = { decidedAt: at, decidedBy: by, reason: null }
    const device: Device = { ...found, ...decided, serial: given, revision, status: 'active' }
    return deps.change(async (stores) => {
      await supersedeHolder(plan, { deviceKeyId, at }, stores)
      won(await stores.devices.activate({ id, status }, given, revision, { at, by, reason: null }))
      await stores.record({ action: 'device.approve', subject: id, details: givenSerial(device) })
      await storeSerial(signed, { device, at }, stores)
      return device
    })
  })
  if (approved) return approved
  throw invalidField(`The device ${id} keeps changing. Try again.`)
}

/**
 * Read again for each attempt: another command may have decided in the meantime, and the operator approves what they
 * saw.
 */
async function waitingRequest(found: Device, { devices }: { readonly devices: DeviceStore }) {
  const { id } = found
  const device = await devices.findById(id)
  const encoded = await devices.findRequest(id)
  if (!device || !encoded || (device.status !== 'pending' && device.status !== 'rejected')) {
    throw invalidField(`The device ${id} is not waiting: it is ${device?.status ?? 'gone'}.`)
  }
  if (device.status !== found.status) {
    const why = device.reason === null ? '' : ` (${device.reason})`
    throw invalidField(
      `The device ${id} was just ${device.status} by ${device.decidedBy}${why}. To give it a serial anyway, approve it again.`,
    )
  }
  const request = decodeStored(encoded)
  // Only what was verified as one is stored there.
  if (request.type !== 'serial-request') throw new TypeError(`device ${id} waits with a ${request.type}`)
  return { request, status: device.status }
}

function takenBy(holder: Device): RequestError {
  const whose = `${showSerialName(holder)} belongs to the device ${holder.id}, which is ${holder.status}`
  return invalidField(
    holder.status === 'revoked'
      ? `${whose}: a revoked device keeps its serial number. Give another one.`
      : `${whose}${holder.quarantinedAt ? ' and in quarantine' : ''}. Give another serial number, or let the model's policy reissue taken ones.`,
  )
}
