/**
 * Remembers device sessions and their devices, while the device may have sessions and the node hears of every change.
 */
import { type ChangeFeed, createMemory } from '../../database/index.ts'
import type { FoundSession } from './device-session.ts'
import type { DeviceSessionStore } from './device-session-store.ts'

/** For verification only: opening a session reads the database. */
export function rememberedDeviceSessions(store: DeviceSessionStore, feed: ChangeFeed): DeviceSessionStore {
  const memory = createMemory<FoundSession>(feed, {
    name: 'device-session',
    // Never remember a device that may not have a session.
    dependsOn: ({ session, device: { status, quarantinedAt } }) =>
      status === 'active' && quarantinedAt === null ? [{ kind: 'device', id: session.deviceId }] : undefined,
  })
  return { ...store, find: (id) => memory.find(id, () => store.find(id)) }
}
