/** How devices are shown: rows for lists and JSON, lines for one of them. */
import type { DeviceId } from '@ratafia/api'
import type { Device } from '../../devices/device.ts'
import { fieldsOf } from '../../devices/transfer/device-record.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Row } from '../output.ts'

const ADDRESSES_AT_ONCE = 1000

/** Those that wait have the address they last asked from. */
export async function listRows(
  devices: readonly Device[],
  { registrations }: TransactionStores,
): Promise<readonly Row[]> {
  const waiting = devices.filter(({ status }) => status === 'pending').map(({ id }) => id)
  const addresses = new Map<DeviceId, string>()
  for (let start = 0; start < waiting.length; start += ADDRESSES_AT_ONCE) {
    const some = await registrations.addressesOf(waiting.slice(start, start + ADDRESSES_AT_ONCE))
    for (const [id, address] of some) addresses.set(id, address)
  }
  return devices.map((device) => ({
    ...deviceRow(device),
    ...(device.status === 'pending' ? { address: addresses.get(device.id) ?? null } : {}),
  }))
}

export const deviceRow = (device: Device) => fieldsOf(device) satisfies Row
