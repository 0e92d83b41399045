/** Device sessions with their device, remembered while it may have sessions and the node hears of every change. */
import { type ChangeFeed, createMemory } from '../../database/index.ts'
import type { FoundSession } from './device-session.ts'
import type { DeviceSessionStore } from './device-session-store.ts'

/** For verifications: what opens sessions asks the database, in its transaction. */
export function rememberedDeviceSessions(
  store: DeviceSessionStore,
  feed: ChangeFeed | undefined,
): Pick<DeviceSessionStore, 'find' | 'findByNonce'> {
  if (!feed) return store
  const memory = createMemory<FoundSession>(feed, {
    name: 'device-session',
    // Others get no session: that is never remembered.
    dependsOn: ({ session, device: { status, quarantinedAt } }) =>
      status === 'active' && quarantinedAt === null ? [{ kind: 'device', id: session.deviceId }] : undefined,
  })
  return {
    find: (id) => memory.find(id, () => store.find(id)),
    findByNonce: (hash) => store.findByNonce(hash),
  }
}
