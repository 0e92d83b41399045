/** Revokes a device: its sessions end, it gets no new ones, and no other device key gets its serial. */
import { invalidField } from '../errors.ts'
import { type Device, describeDevice, showSerialName } from './device.ts'
import { type DecideDeps, findDevice, type OperatorDecision } from './find-device.ts'
import { checkReason } from './reason.ts'

interface Revocation extends OperatorDecision {
  readonly reason?: string | undefined
}

export interface RevokedDevice {
  readonly device: Device
  /** It was revoked earlier, and that revocation is unchanged. */
  readonly before: boolean
}

/**
 * Every verification reads the row, so the sessions of the device end with this. Throws `RequestError` `invalid-field`.
 */
export async function revokeDevice(
  { name, reason, by }: Revocation,
  deps: DecideDeps,
): Promise<RevokedDevice> {
  const decision = { at: deps.clock(), by, reason: reason === undefined ? null : checkReason(reason) }
  const found = await findDevice(name, ['active', 'revoked'], deps)
  const { id } = found
  const revoked = await deps.change(async ({ devices, record }) => {
    if (!(await devices.revoke(id, decision))) return false
    const details = { serial: showSerialName(found), reason: decision.reason }
    await record({ action: 'device.revoke', subject: id, details })
    return true
  })
  const device = await deps.devices.findById(id)
  if (device?.status === 'revoked') return { device, before: !revoked }
  if (device?.status === 'active')
    throw invalidField(`${describeDevice(device)} has just changed. Try again.`)
  const advice = {
    pending: ' Refuse it with `ratafia devices reject`.',
    rejected: ' It never got a serial.',
    superseded: ' It no longer gets anything.',
  } as const
  throw invalidField(
    device
      ? `${describeDevice(device)} has no serial to revoke.${advice[device.status]}`
      : `The device ${id} no longer exists.`,
  )
}
