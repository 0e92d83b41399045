/** The sessions of developer tokens; valid ones are remembered while the node hears of every change. */
import { type ChangeFeed, createMemory } from '../database/index.ts'
import type { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export function rememberedSessions(store: SessionStore, feed: ChangeFeed | undefined): SessionStore {
  if (!feed) return store
  const memory = createMemory<Session>(feed, {
    name: 'token-session',
    dependsOn: ({ id, revokedAt }) => (revokedAt === undefined ? [{ kind: 'token-session', id }] : undefined),
  })
  return { ...store, find: (id) => memory.find(id, () => store.find(id)) }
}
