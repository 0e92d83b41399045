/** Stores the issuers of ID tokens for jobs, in the table `oidc_issuer` and those that refer to it. */
import {
  anyRowChanged,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  type Schema,
  toInstant,
} from '../../database/index.ts'
import type { FoundIssuer, Issuer, IssuerSettings } from './issuer.ts'
import type { KindName } from './kinds.ts'

export interface NamedRule {
  /** A UUID. */
  readonly id: string
  readonly name: string
}

export interface IssuerStore {
  /** Call it in a transaction that also stores the keys. Returns false if there is already an issuer with this URL. */
  insert(issuer: Issuer): Promise<boolean>
  /** Finds an issuer by the text of `iss`. Also returns the keys if `known` is given and is not their revision. */
  findByUrl(url: string, known?: string): Promise<FoundIssuer | undefined>
  findById(id: string): Promise<FoundIssuer | undefined>
  /** Sorted by URL. */
  list(): Promise<readonly FoundIssuer[]>
  /** Sorted by name. */
  rulesOf(id: string): Promise<readonly NamedRule[]>
  /**
   * Removes the issuer, its keys and its rules in a transaction, and returns the rules; undefined if there is no such
   * issuer. A concurrent call that adds a rule, or opens a session by one, either finishes first or finds the issuer
   * removed. Its used ID tokens stay recorded under its URL.
   */
  remove(id: string): Promise<readonly NamedRule[] | undefined>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly issuers: IssuerStore
  }
}

export function issuerStore({ query }: Pick<Database, 'query'>): IssuerStore {
  const found = () =>
    query
      .selectFrom('oidc_issuer')
      .innerJoin('oidc_issuer_keys', 'oidc_issuer_keys.issuer_id', 'oidc_issuer.id')
      .selectAll('oidc_issuer')
      .select(['revision', 'pinned_at', 'fetched_at', 'tried_at', 'failure'])
  return {
    async insert({ id, url, kind, settings, createdAt }) {
      const result = await query
        .insertInto('oidc_issuer')
        .values({ id, url, kind, settings: JSON.stringify(settings), created_at: toInstant(createdAt) })
        .onConflict((conflict) => conflict.column('url').doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index oidc_issuer_url_key, then the primary key of the other table.
    async findByUrl(url, known) {
      const select = found().where('url', '=', url)
      if (known === undefined) {
        const row = await select.executeTakeFirst()
        return row && foundOf(row)
      }
      const row = await select
        .select((eb) => [
          eb.case().when('revision', '=', known).then(null).else(eb.ref('keys')).end().as('keys'),
          'algorithms',
        ])
        .executeTakeFirst()
      if (!row) return undefined
      const { revision, keys, algorithms } = row
      return { ...foundOf(row), ...(keys !== null && { stored: { revision, keys, algorithms } }) }
    },

    // Primary keys.
    async findById(id) {
      const row = await found().where('id', '=', id).executeTakeFirst()
      return row && foundOf(row)
    },

    // Scans both tables, which have a row for each issuer that an operator added.
    async list() {
      const rows = await found().execute()
      return rows.map(foundOf).sort((a, b) => (a.issuer.url < b.issuer.url ? -1 : 1))
    },

    // Index publisher_rule_ids.
    async rulesOf(id) {
      const rows = await query
        .selectFrom('publisher_rule')
        .select(['id', 'name'])
        .where('issuer_id', '=', id)
        .execute()
      return byName(rows)
    },

    remove: (id) =>
      inTransaction(query, async (transaction) => {
        // Primary key. Locked first, because a concurrent creation of a rule holds this row.
        const row = await transaction
          .selectFrom('oidc_issuer')
          .select('id')
          .where('id', '=', id)
          .modifyEnd(rowLock(transaction, 'update'))
          .executeTakeFirst()
        if (!row) return undefined
        // Index publisher_rule_ids.
        const rules = await transaction
          .deleteFrom('publisher_rule')
          .where('issuer_id', '=', id)
          .returning(['id', 'name'])
          .execute()
        // Primary keys.
        await transaction.deleteFrom('oidc_issuer_keys').where('issuer_id', '=', id).execute()
        await transaction.deleteFrom('oidc_issuer').where('id', '=', id).execute()
        return byName(rules)
      }),
  }
}

const byName = (rules: readonly NamedRule[]): readonly NamedRule[] =>
  rules.toSorted((a, b) => (a.name < b.name ? -1 : 1))

type FoundRow = Schema['oidc_issuer'] & Omit<Schema['oidc_issuer_keys'], 'issuer_id' | 'keys' | 'algorithms'>

function foundOf(row: FoundRow): FoundIssuer {
  const settings: IssuerSettings = JSON.parse(row.settings)
  return {
    issuer: {
      id: row.id,
      url: row.url,
      // The cast is safe: only names of kinds are ever inserted, and a kind is never removed.
      kind: row.kind as KindName,
      settings,
      createdAt: fromInstant(row.created_at),
    },
    keys: {
      revision: row.revision,
      pinnedAt: fromInstant(row.pinned_at) ?? undefined,
      fetchedAt: fromInstant(row.fetched_at),
      triedAt: fromInstant(row.tried_at),
      failure: row.failure ?? undefined,
    },
  }
}
