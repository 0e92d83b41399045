/** Writes devices directly into the register of a service, without keys and registrations. */
import { randomBytes } from 'node:crypto'
import { type DeviceSessionId, newDeviceSessionId } from '@ratafia/api'
import { insertMany } from '../../src/database/index.ts'
import type { Device } from '../../src/devices/device.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import type { TestService } from './service.ts'

type Installed = Pick<TestService, 'installation' | 'now'>

/** Adds an active device of acme-brand with its own key. `known` replaces any of its fields. */
export async function addDevice(
  { installation, now }: Installed,
  known: Partial<Omit<Device, 'bucket'>> = {},
): Promise<Device> {
  const [device] = await addDevices({ installation, now }, [known])
  if (!device) throw new TypeError('no device was created')
  return device
}

export async function addDevices(
  { installation, now }: Installed,
  known: readonly Partial<Omit<Device, 'bucket'>>[],
): Promise<readonly Device[]> {
  const devices = known.map((one) =>
    newDevice({
      ...{ brandId: 'acme-brand', model: 'acme-classic', origin: 'import', registeredAt: now() },
      ...{ deviceKeyId: randomBytes(48).toString('base64url'), status: 'active' },
      ...one,
    }),
  )
  // A pending or rejected device has its request.
  const requestOf = ({ status }: Device) =>
    status === 'pending' || status === 'rejected' ? Buffer.from('what it sent') : null
  const rows = devices.map((one) => ({ ...rowOf(one), request: requestOf(one) }))
  await insertMany(installation.database.query, 'device', rows).execute()
  return devices
}

export interface AddedSession {
  readonly at: Date
  /** Default: a new chain. */
  readonly chain?: DeviceSessionId
  readonly address?: string
  readonly userAgent?: string
}

/** Adds a session of a device, and returns its chain. */
export async function addSession(
  { installation: { database } }: Pick<TestService, 'installation'>,
  { id, bucket }: Pick<Device, 'id' | 'bucket'>,
  { at, chain, address = '198.51.100.23', userAgent = 'snapd/2.77' }: AddedSession,
): Promise<DeviceSessionId> {
  const session = newDeviceSessionId(new Date())
  await database.query
    .insertInto('device_session')
    .values({
      ...{ session_id: session, device_id: id, bucket, chain_id: chain ?? session, previous_id: null },
      ...{ nonce_hash: randomBytes(32), request_hash: randomBytes(32), macaroon_id: randomBytes(16) },
      ...{ store: null, opened_at: at.getTime(), expires_at: at.getTime() + 86_400_000 },
      ...{ address, user_agent: userAgent },
    })
    .execute()
  return chain ?? session
}
