/** The operator accepts a device: it has its serial with the next poll. */
import { isStrictSerial } from '@ratafia/assertions'
import type { Clock } from '../../../clock.ts'
import { RequestError } from '../../../errors.ts'
import { type Device, describeDevice } from '../../device.ts'
import { type FindDeviceDeps, findDevice } from '../../find-device.ts'
import { type IssueToWaitingDeps, issueToWaiting } from './issue-to-waiting.ts'

export interface ApproveDeps extends Omit<IssueToWaitingDeps, 'devices'> {
  readonly devices: IssueToWaitingDeps['devices'] & FindDeviceDeps['devices']
  readonly clock: Clock
}

export interface Approval {
  /** As `findDevice` takes it. */
  readonly name: string
  /** In place of what the device proposed, or of a number that the model makes. */
  readonly serial?: string | undefined
  /** Who decides. */
  readonly by: string
}

/** One that was rejected may still be accepted. Throws {@link RequestError} `invalid-field`. */
export async function approveDevice({ name, serial, by }: Approval, deps: ApproveDeps): Promise<Device> {
  if (serial !== undefined && !(isStrictSerial(serial) && serial.length <= 128)) {
    throw refused(
      `${JSON.stringify(serial.slice(0, 128))} is no serial number: up to 128 letters and digits, with single dashes, colons and pluses between them.`,
    )
  }
  const device = await findDevice(name, ['pending', 'rejected'], deps)
  if (device.status !== 'pending' && device.status !== 'rejected') {
    throw refused(`${describeDevice(device)} does not wait for a decision.`)
  }
  const decision = { at: deps.clock(), by, reason: null }
  const issued = await issueToWaiting({ device, serial, decision }, deps)
  return issued.device
}

const refused = (message: string): RequestError => new RequestError('invalid-field', message)
