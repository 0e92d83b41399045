/** Devices put into the register of a service as they are, without keys and registrations. */
import { randomBytes } from 'node:crypto'
import { type DeviceSessionId, newDeviceSessionId } from '@ratafia/api'
import type { Device } from '../../src/devices/device.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import type { TestService } from './service.ts'

type Installed = Pick<TestService, 'installation' | 'now'>

/** Active, of acme-brand, with a key of its own; `known` sets the rest. */
export async function addDevice(
  { installation, now }: Installed,
  known: Partial<Omit<Device, 'bucket'>> = {},
): Promise<Device> {
  const [device] = await addDevices({ installation, now }, [known])
  if (!device) throw new TypeError('no device was made')
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
  // A device that waits has what it asked with.
  const requestOf = ({ status }: Device) =>
    status === 'pending' || status === 'rejected' ? Buffer.from('what it sent') : null
  for (let start = 0; start < devices.length; start += 100) {
    await installation.database.query
      .insertInto('device')
      .values(devices.slice(start, start + 100).map((one) => ({ ...rowOf(one), request: requestOf(one) })))
      .execute()
  }
  return devices
}

export interface AddedSession {
  readonly at: Date
  /** Default: a chain of its own. */
  readonly chain?: DeviceSessionId
  readonly address?: string
  readonly userAgent?: string
}

/** Returns the chain. */
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
