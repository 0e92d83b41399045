/** Agents: programs that log in as an account, with a key of their own instead of a password. */
import type { AccountId } from '@ratafia/api'
import {
  anyRowChanged,
  changeAnnounced,
  type Database,
  fromInstant,
  toInstant,
} from '../../database/index.ts'

export interface Agent {
  readonly name: string
  readonly accountId: AccountId
  /** X25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** What its logins are limited to, as `agent-limits.ts` writes it; null means not limited. */
  readonly limits: string | null
  readonly createdAt: Date
}

export interface AgentStore {
  /** Writes nothing when the name or the key is taken, even by a call at the same moment. */
  insert(agent: Agent): Promise<'inserted' | 'name-taken' | 'key-taken'>
  find(name: string): Promise<Agent | undefined>
  /** Those after `after`, by name (in the database's own order of text). */
  page(options: {
    readonly accountId: AccountId | undefined
    readonly after: string | undefined
    readonly limit: number
  }): Promise<Agent[]>
  /** False when there is none. */
  remove(name: string): Promise<boolean>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly agents: AgentStore
  }
}

export function agentStore({ query }: Pick<Database, 'query'>): AgentStore {
  return {
    insert: async ({ name, accountId, publicKey, limits, createdAt }) => {
      const result = await query
        .insertInto('agent')
        .values({
          name,
          account_id: accountId,
          public_key: publicKey,
          limits,
          created_at: toInstant(createdAt),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (anyRowChanged(result)) return 'inserted'
      const holder = await query
        .selectFrom('agent')
        .select('name')
        .where('name', '=', name)
        .executeTakeFirst()
      return holder ? 'name-taken' : 'key-taken'
    },

    // Index: the primary key.
    find: async (name) => {
      const row = await query.selectFrom('agent').selectAll().where('name', '=', name).executeTakeFirst()
      return row && agentOf(row)
    },

    // Index: the primary key in its order; with an account, agent_account.
    page: async ({ accountId, after, limit }) => {
      let select = query
        .selectFrom('agent')
        .selectAll()
        .where('name', '>', after ?? '')
      if (accountId !== undefined) select = select.where('account_id', '=', accountId)
      return (await select.orderBy('name').limit(limit).execute()).map(agentOf)
    },

    // Index: the primary key.
    remove: (name) =>
      changeAnnounced(query, { kind: 'agent', id: name }, (transaction) =>
        transaction.deleteFrom('agent').where('name', '=', name),
      ),
  }
}

const agentOf = (row: {
  name: string
  account_id: string
  public_key: Uint8Array
  limits: string | null
  created_at: number
}): Agent => ({
  name: row.name,
  // The cast is safe: only ids of accounts are ever written.
  accountId: row.account_id as AccountId,
  publicKey: row.public_key,
  limits: row.limits,
  createdAt: fromInstant(row.created_at),
})
