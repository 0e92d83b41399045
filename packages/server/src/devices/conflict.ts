/** Why a decision about a device cannot be made, as the register has the device now. */
import { type RequestError, stateConflict } from '../errors.ts'
import { type Device, describeDevice } from './device.ts'

/** `why` follows the name of the device: ` is not waiting for a decision.` Its code is `state-conflict`. */
export const deviceConflict = (device: Device, why: string): RequestError =>
  stateConflict(`${describeDevice(device)}${why}`, {
    status: device.status,
    decided_by: device.decidedBy,
    decided_at: device.decidedAt?.toISOString() ?? null,
  })
