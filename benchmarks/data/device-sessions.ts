/** Creates many valid sessions of registered devices, without the requests that open them. */
import { randomBytes } from 'node:crypto'
import { newDeviceSessionId } from '@ratafia/api'
import type { Device } from '../../faults/load/device.ts'
import { BRAND } from '../../faults/load/scene.ts'
import { mintSession } from '../../packages/server/src/devices/sessions/session-macaroon.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { groupsOf, opened } from './opened.ts'

const DAY_MS = 86_400_000
const AT_ONCE = 32

/** Returns the sessions' macaroons, as devices present them. Sessions are spread evenly over the devices. */
export async function manyDeviceSessions(
  installation: BenchInstallation,
  devices: readonly Device[],
  count: number,
): Promise<readonly string[]> {
  return opened(installation, async ({ keyring, deviceSessions, devices: register }) => {
    const since = new Date()
    const until = new Date(since.getTime() + DAY_MS)
    const rows = await Promise.all(
      devices.map(({ model, serial }) => register.findHolder({ brandId: BRAND, model: model.name, serial })),
    )
    const texts: string[] = []
    const add = async (at: number) => {
      const device = rows[at % rows.length]
      if (!device) throw new TypeError('the devices are registered')
      const { id: macaroonId, rootKey } = await keyring.mintId('device-session')
      const id = newDeviceSessionId(new Date())
      await deviceSessions.add({
        ...{
          id,
          deviceId: device.id,
          bucket: device.bucket,
          chainId: id,
          previousId: null,
          store: null,
          macaroonId,
        },
        ...{ nonceHash: randomBytes(32), requestHash: randomBytes(32), openedAt: since, expiresAt: until },
        caller: { address: '192.0.2.1', userAgent: 'bench' },
      })
      const facts = { ...device, store: undefined, since, until, sessionId: id }
      texts.push(mintSession(facts, { id: macaroonId, rootKey, location: 'ratafia.test' }))
    }
    for (const group of groupsOf([...Array(count).keys()], AT_ONCE)) await Promise.all(group.map(add))
    return texts
  })
}
