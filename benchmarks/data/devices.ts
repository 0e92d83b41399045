/** Devices and their sessions, made by requests as a device sends them. */
import {
  ask,
  type Device,
  type DeviceSession,
  nonceRequest,
  open,
  opening,
  register,
  registration,
  requestIdRequest,
  type Unit,
} from '../../faults/load/device.ts'
import { seeded } from '../../faults/load/random.ts'
import type { Scene } from '../../faults/load/scene.ts'
import { newRecorder, Wire } from '../../faults/load/wire.ts'

export const random = seeded('bench', 'devices')

/** Every model with every key, but for the last of each: `refusals.ts` takes those. */
export const unitsOf = ({ models, keys }: Scene): Unit[] =>
  models.slice(0, -1).flatMap((model) => keys.slice(0, -1).map((key) => ({ model, key })))

/** Two requests. */
export async function registerOne(unit: Unit, wire: Wire): Promise<Device> {
  const requestId = (await ask(requestIdRequest, wire, random)) ?? ''
  return present(await register(unit, registration(unit, requestId), wire, random), wire)
}

/** Two requests; with `previous` a refresh. */
export async function openOne(device: Device, wire: Wire, previous?: DeviceSession): Promise<DeviceSession> {
  const nonce = (await ask(nonceRequest, wire, random)) ?? ''
  return present(await open(device, opening(device, nonce, previous), wire, random), wire)
}

export async function registerAll(units: readonly Unit[], port: number): Promise<readonly Device[]> {
  const wire = new Wire([{ name: 'ours', port }], newRecorder())
  const devices: Device[] = []
  for (const unit of units) devices.push(await registerOne(unit, wire))
  wire.close()
  return devices
}

/** Throws an Error that says how a good request was refused. */
export function present<T>(made: T | undefined, wire?: Wire): T {
  if (made !== undefined) return made
  const last = wire?.recorder.history.findLast(({ status }) => status !== 200)
  const answer = last ? `: ${last.kind} was answered ${last.status}: ${last.detail}` : ''
  throw new Error(`the service refused a good request${answer}`)
}
