/** Gives its serial to a device that waits, or was rejected: the operator said yes. */
import { decode } from '@ratafia/assertions'
import type { ModelStore } from '../../../brands/models/model-store.ts'
import { RequestError } from '../../../errors.ts'
import { type Device, showSerialName } from '../../device.ts'
import type { Decision, DeviceStore } from '../../device-store.ts'
import { won } from '../../lost-race.ts'
import { givenSerial } from '../../serial-holder.ts'
import { type IssueDeps, type IssuedSerial, issueSerial, planSerial } from '../issue-serial.ts'

export interface IssueToWaitingDeps extends IssueDeps {
  readonly devices: IssueDeps['devices'] & Pick<DeviceStore, 'findById' | 'findRequest'>
  readonly models: IssueDeps['models'] & Pick<ModelStore, 'find'>
}

interface Approval {
  /** As it was found, pending or rejected. */
  readonly device: Device
  /** Overrules what the device proposed; undefined takes that, or makes a number where it proposed none. */
  readonly serial?: string | undefined
  readonly decision: Decision
}

const ATTEMPTS = 10

/**
 * Signs the serial and activates the device in one transaction; the device gets it with its next poll. Throws
 * {@link RequestError} `invalid-field` when it does not wait any more, its serial number is another's, or no key can
 * sign (with what to do about it).
 */
export async function issueToWaiting(
  { device, serial, decision }: Approval,
  deps: IssueToWaitingDeps,
): Promise<IssuedSerial> {
  const model = await deps.models.find(device)
  if (!model) throw refused(`There is no model ${device.brandId}/${device.model} any more.`)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { request, status } = await waitingRequest(device, deps)
    const plan = await planSerial({ model, proposed: serial ?? (device.serial || undefined) }, deps)
    if ('taken' in plan) throw takenBy(plan.taken)
    const issued = await issueSerial(
      {
        plan,
        request,
        at: decision.at,
        enter: async ({ devices, record }) => {
          won(await devices.activate({ id: device.id, status }, plan.serial, plan.revision, decision))
          const { at, by, reason } = decision
          const decided = { decidedAt: at, decidedBy: by, reason }
          const { serial, revision } = plan
          const active: Device = { ...device, ...decided, serial, revision, status: 'active' }
          await record({ action: 'device.approve', subject: device.id, details: givenSerial(active) })
          return active
        },
      },
      deps,
    )
    if (issued) return issued
  }
  throw refused(`The device ${device.id} changes all the time. Try again.`)
}

/** Looked at again for each attempt: another command may have decided meanwhile. Accepted is what the operator saw. */
async function waitingRequest(found: Device, { devices }: Pick<IssueToWaitingDeps, 'devices'>) {
  const { id } = found
  const device = await devices.findById(id)
  const encoded = await devices.findRequest(id)
  if (!device || !encoded || (device.status !== 'pending' && device.status !== 'rejected')) {
    throw refused(`The device ${id} does not wait: it is ${device?.status ?? 'not there'}.`)
  }
  if (device.status !== found.status) {
    const why = device.reason === null ? '' : ` (${device.reason})`
    throw refused(
      `The device ${id} was just ${device.status} by ${device.decidedBy}${why}. If it is to have a serial all the same, approve it again.`,
    )
  }
  const request = decode(encoded)
  // Only what was verified as one is stored there.
  if (request.type !== 'serial-request') throw new TypeError(`device ${id} waits with a ${request.type}`)
  return { request, status: device.status }
}

function takenBy(holder: Device): RequestError {
  const whose = `${showSerialName(holder)} belongs to the device ${holder.id}, which is ${holder.status}`
  return refused(
    holder.status === 'revoked'
      ? `${whose}: a revoked device keeps its serial number. Give another one.`
      : `${whose}${holder.quarantinedAt ? ' and in quarantine' : ''}. Give another serial number, or let the model's policy reissue taken ones.`,
  )
}

const refused = (message: string): RequestError => new RequestError('invalid-field', message)
