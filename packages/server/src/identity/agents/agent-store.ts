/** The table of agents, the programs that log in as an account with their own key instead of a password. */
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
  /** The X25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The limits of its logins, in the form of `agent-limits.ts`; null for none. */
  readonly limits: string | null
  readonly createdAt: Date
}

export interface AgentStore {
  /** Inserts the agent, unless the name or the key is taken, even by a simultaneous call. */
  insert(agent: Agent): Promise<'inserted' | 'name-taken' | 'key-taken'>
  find(name: string): Promise<Agent | undefined>
  /** Returns the agents after `after` by name, in the database's text order. */
  page(options: {
    readonly accountId: AccountId | undefined
    readonly after: string | undefined
    readonly limit: number
  }): Promise<Agent[]>
  /** Returns false if there is no such agent. */
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
