/** Finds one device, describes it, and decides about it. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { DeviceStatus } from '../../devices/device.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { ServiceRefusal } from '../context.ts'
import type { Found, Service, ServiceOperation } from '../service/service.ts'

/** Returns the id with `BRAND/MODEL/SERIAL, status`, as `describeDevice` does. */
export function describeRecord({ id, brand_id, model, serial, status }: JsonObject): string {
  const name = serial === null ? `${brand_id}/${model}` : `${brand_id}/${model}/${serial}`
  return `The device ${id} (${name}, ${status})`
}

export interface SingleDecision {
  /** The name that the user gave. */
  readonly name: string
  /** The statuses to prefer if several rows have the same name. */
  readonly prefer: readonly DeviceStatus[]
  readonly operation: ServiceOperation
  readonly body?: object
  /** Whether to change nothing, and not to ask for confirmation. */
  readonly dryRun?: boolean | undefined
  /** Asks for confirmation. Default: no confirmation. */
  readonly confirm?: (record: JsonObject) => Promise<void>
}

/** Makes the decision, and returns the record of the device before and after it. */
export async function decideOne(
  { name, prefer, operation, body, dryRun, confirm }: SingleDecision,
  service: Service,
): Promise<{ readonly before: JsonObject; readonly record: JsonObject }> {
  const { record: before, etag } = await findDevice(service, name, prefer)
  const asking = { id: String(before['id']), ...(body && { body }) }
  if (dryRun) return { before, ...(await service.call(operation, { ...asking, query: { dry_run: true } })) }
  if (!confirm) return { before, ...(await service.call(operation, asking)) }
  await confirm(before)
  // A confirmation only counts for the version of the device that the user saw.
  return { before, ...(await service.call(operation, { ...asking, ifMatch: etag })) }
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
  if (!/^[^/]+\/[^/]+\/[^/]+$|^[A-Za-z0-9_-]{64}$/.test(name)) throw asRefusal(noSuchDevice(name))
  const { records } = await service.list(api.devices, 'devices', { query: { name }, most: 100 })
  const rows = records.map((record) => ({
    id: String(record['id']),
    // A status that only a newer service knows does not match any of the preferred ones.
    status: String(record['status']) as DeviceStatus,
    shown:
      record['serial'] === null ? undefined : `${record['brand_id']}/${record['model']}/${record['serial']}`,
  }))
  const chosen = chooseDevice(name, rows, prefer)
  if (chosen instanceof Error) throw asRefusal(chosen)
  return service.call(api.device, { id: chosen.id })
}

const asRefusal = ({ code, message }: { readonly code: string; readonly message: string }): ServiceRefusal =>
  new ServiceRefusal(message, { code })
