/** Finds one device, and describes it. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { DeviceStatus } from '../../devices/device.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { ServiceRefusal } from '../context.ts'
import type { Found, Service } from '../service/service.ts'

/** Returns the id with `BRAND/MODEL/SERIAL, status`, as `describeDevice` does. */
export function describeRecord({ id, brand_id, model, serial, status }: JsonObject): string {
  const name = serial === null ? `${brand_id}/${model}` : `${brand_id}/${model}/${serial}`
  return `The device ${id} (${name}, ${status})`
}

/** Returns the device with a name. Throws `ServiceRefusal`. */
export async function findDevice(
  service: Service,
  name: string,
  prefer: readonly DeviceStatus[] = [],
): Promise<Found> {
  const { isDeviceId } = await import('@ratafia/api')
  if (isDeviceId(name)) return service.call(api.device, { id: name })
  const { chooseDevice, noSuchDevice } = await import('../../devices/choose-device.ts')
  if (!/^[^/]+\/[^/]+\/[^/]+$|^[A-Za-z0-9_-]{64}$/.test(name)) throw ServiceRefusal.like(noSuchDevice(name))
  const { records } = await service.list(api.devices, 'devices', { query: { name }, most: 100 })
  const rows = records.map((record) => ({
    id: String(record['id']),
    // A status that only a newer service knows does not match any of the preferred ones.
    status: String(record['status']) as DeviceStatus,
    shown:
      record['serial'] === null ? undefined : `${record['brand_id']}/${record['model']}/${record['serial']}`,
  }))
  const chosen = chooseDevice(name, rows, prefer)
  if (chosen instanceof Error) throw ServiceRefusal.like(chosen)
  return service.call(api.device, { id: chosen.id })
}
