/** Registers devices and opens their sessions, by the requests that a device sends. */
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

/** Every model with every key, except the last of each, which `refusals.ts` uses. */
export const unitsOf = ({ models, keys }: Scene): Unit[] =>
  models.slice(0, -1).flatMap((model) => keys.slice(0, -1).map((key) => ({ model, key })))

/** Registers a device, by two requests. */
export async function registerOne(unit: Unit, wire: Wire): Promise<Device> {
  const requestId = (await ask(requestIdRequest, wire, random)) ?? ''
  return present(await register(unit, registration(unit, requestId), wire, random), wire)
}

/** Opens a session by two requests, or refreshes `previous`. */
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

/** Returns the value, or throws an Error with the service's refusal of the request. */
export function present<T>(made: T | undefined, wire?: Wire): T {
  if (made !== undefined) return made
  const last = wire?.recorder.history.findLast(({ status }) => status !== 200)
  const answer = last ? `: ${last.kind} got ${last.status}: ${last.detail}` : ''
  throw new Error(`the service refused a valid request${answer}`)
}
