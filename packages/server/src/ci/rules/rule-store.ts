/** Stores the rules that decide which jobs get which tokens, in the table `publisher_rule`. */
import type { AccountId } from '@ratafia/api'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  fromInstant,
  isReferenceViolation,
  type PublisherRuleTable,
  toInstant,
} from '../../database/index.ts'
import { invalidField } from '../../errors.ts'
import type { KindName } from '../issuers/kinds.ts'
import type { Match } from './matcher.ts'
import type { Grants, Rule } from './rule.ts'

export interface NewRule {
  readonly rule: Omit<Rule, 'disabledAt' | 'lastUsedAt'>
  /** The text that a job's ids are compared with: see `stable-ids.ts`. */
  readonly ids: string
}

/** A rule with its issuer and account. */
export interface KnownRule {
  readonly rule: Rule
  readonly issuer: { readonly url: string; readonly kind: KindName }
  readonly account: { readonly username: string; readonly disabledAt: Date | undefined }
}

/** A rule with its account. Either can be disabled. */
export interface RuleForJob {
  readonly rule: Rule
  readonly account: {
    readonly id: AccountId
    readonly username: string
    readonly disabledAt: Date | undefined
    readonly loginsSince: Date | undefined
    readonly createdAt: Date
  }
}

export interface RuleStore {
  /**
   * Returns false and writes nothing if the name is taken, even by a concurrent call. Throws `invalid-field` if the
   * issuer was just removed.
   */
  insert(rule: NewRule): Promise<boolean>
  find(name: string): Promise<KnownRule | undefined>
  /** Counts the rules of the issuer that have these ids. */
  countOfIds(issuerId: string, ids: string): Promise<number>
  /** Finds the rules of the issuer that have one of at most two ids, by name, in one statement; none without ids. */
  findForJob(issuerId: string, ids: readonly string[]): Promise<readonly RuleForJob[]>
  /** Returns the rules after `after`, by name (in the database's own order of text). */
  page(options: {
    readonly accountId: AccountId | undefined
    readonly issuerId: string | undefined
    readonly after: string | undefined
    readonly limit: number
  }): Promise<readonly KnownRule[]>
  /** Returns false if there is no such rule, or if it is already disabled; then its time does not change. */
  disable(id: string, at: Date): Promise<boolean>
  /** Returns false if there is no such rule. */
  remove(id: string): Promise<boolean>
  /** Records that an exchange used the rule, at most once per hour. */
  markUsed(id: string, at: Date): Promise<void>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly rules: RuleStore
  }
}

/** The resolution of `lastUsedAt`. */
const USE_MS = 3_600_000

/** Index publisher_rule_ids, then the primary key of account. Returns few rows, however many rules there are. */
const selectForJob = compiledOnce((query, values: { issuer: string; first: string; second: string }) =>
  query
    .selectFrom('publisher_rule')
    .innerJoin('account', 'account.id', 'publisher_rule.account_id')
    .selectAll('publisher_rule')
    .select([
      'account.username',
      'account.disabled_at as account_disabled_at',
      'account.logins_since',
      'account.created_at as account_created_at',
    ])
    .where('publisher_rule.issuer_id', '=', values.issuer)
    .where('publisher_rule.ids', 'in', [values.first, values.second])
    .orderBy('publisher_rule.name'),
)

export function ruleStore({ query }: Pick<Database, 'query'>): RuleStore {
  const selectKnown = () =>
    query
      .selectFrom('publisher_rule')
      .innerJoin('oidc_issuer', 'oidc_issuer.id', 'publisher_rule.issuer_id')
      .innerJoin('account', 'account.id', 'publisher_rule.account_id')
      .selectAll('publisher_rule')
      .select([
        'oidc_issuer.url',
        'oidc_issuer.kind',
        'account.username',
        'account.disabled_at as account_disabled_at',
      ])

  return {
    insert: async ({ rule, ids }) => {
      const result = await query
        .insertInto('publisher_rule')
        .values({
          id: rule.id,
          name: rule.name,
          issuer_id: rule.issuerId,
          account_id: rule.accountId,
          version: rule.version,
          ids,
          matchers: JSON.stringify(rule.match),
          grants: JSON.stringify(rule.grants),
          lifetime: rule.lifetime,
          created_at: toInstant(rule.createdAt),
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst()
        .catch(issuerGone)
      return anyRowChanged(result)
    },

    // Index: the unique one on name.
    find: async (name) => {
      const row = await selectKnown().where('publisher_rule.name', '=', name).executeTakeFirst()
      return row && knownOf(row)
    },

    // Index: publisher_rule_ids.
    countOfIds: async (issuerId, ids) => {
      const { count } = await query
        .selectFrom('publisher_rule')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('issuer_id', '=', issuerId)
        .where('ids', '=', ids)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    findForJob: async (issuer, [first, second = first, ...more]) => {
      if (first === undefined || second === undefined) return []
      if (more.length > 0) throw new TypeError('a job has its ids in two forms at most')
      const { rows } = await selectForJob(query, { issuer, first, second })
      return rows.map((row) => ({
        rule: ruleOf(row),
        account: {
          // The cast is safe: only ids of accounts are ever written.
          id: row.account_id as AccountId,
          username: row.username,
          disabledAt: fromInstant(row.account_disabled_at) ?? undefined,
          loginsSince: fromInstant(row.logins_since) ?? undefined,
          createdAt: fromInstant(row.account_created_at),
        },
      }))
    },

    // Index: the unique one on name, in its order; with an account or an issuer,
    // publisher_rule_account or publisher_rule_ids.
    page: async ({ accountId, issuerId, after, limit }) => {
      let select = selectKnown().where('publisher_rule.name', '>', after ?? '')
      if (accountId !== undefined) select = select.where('publisher_rule.account_id', '=', accountId)
      if (issuerId !== undefined) select = select.where('publisher_rule.issuer_id', '=', issuerId)
      return (await select.orderBy('publisher_rule.name').limit(limit).execute()).map(knownOf)
    },

    // Primary key. Nodes don't cache rules, so there is nothing to announce.
    disable: async (id, at) => {
      const result = await query
        .updateTable('publisher_rule')
        .set({ disabled_at: toInstant(at) })
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Primary key.
    remove: async (id) => {
      const result = await query.deleteFrom('publisher_rule').where('id', '=', id).executeTakeFirst()
      return anyRowChanged(result)
    },

    // Primary key.
    markUsed: async (id, at) => {
      await query
        .updateTable('publisher_rule')
        .set({ last_used_at: toInstant(at) })
        .where('id', '=', id)
        .where((eb) =>
          eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', toInstant(at) - USE_MS)]),
        )
        .execute()
    },
  }
}

/** Throws `invalid-field` if a row that the rule refers to does not exist, and any other error unchanged. */
function issuerGone(error: unknown): never {
  if (!isReferenceViolation(error)) throw error
  throw invalidField('The issuer was just removed.', { field: 'issuer', cause: error })
}

interface KnownRow extends PublisherRuleTable {
  url: string
  kind: string
  username: string
  account_disabled_at: number | null
}

const knownOf = (row: KnownRow): KnownRule => ({
  rule: ruleOf(row),
  // The cast is safe: only names of kinds are ever written.
  issuer: { url: row.url, kind: row.kind as KindName },
  account: { username: row.username, disabledAt: fromInstant(row.account_disabled_at) ?? undefined },
})

function ruleOf(row: PublisherRuleTable): Rule {
  // Only checked rules are written. `ratafia verify` reads each again, and a malformed matcher never matches.
  const match: Match = JSON.parse(row.matchers)
  const grants: Grants = JSON.parse(row.grants)
  return {
    id: row.id,
    name: row.name,
    issuerId: row.issuer_id,
    // The cast is safe, as above.
    accountId: row.account_id as AccountId,
    version: row.version,
    match,
    grants,
    lifetime: row.lifetime,
    createdAt: fromInstant(row.created_at),
    disabledAt: fromInstant(row.disabled_at) ?? undefined,
    lastUsedAt: fromInstant(row.last_used_at) ?? undefined,
  }
}
