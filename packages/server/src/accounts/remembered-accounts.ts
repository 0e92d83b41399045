/** Finds accounts by id, and remembers enabled ones while the node hears of every change. */
import { type ChangeFeed, createMemory } from '../database/index.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'

export function rememberedAccounts(store: AccountStore, feed: ChangeFeed | undefined): AccountStore {
  if (!feed) return store
  const memory = createMemory<Account>(feed, {
    name: 'account',
    dependsOn: ({ id, disabledAt }) => (disabledAt === undefined ? [{ kind: 'account', id }] : undefined),
  })
  return { ...store, findById: (id) => memory.find(id, () => store.findById(id)) }
}
