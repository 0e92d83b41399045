/** Stores used ID tokens and the sessions they opened, in the tables `used_workload_token` and `token_session`. */
import type { AccountId, SessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  compiledOnce,
  type Database,
  fromInstant,
  insertRecorded,
  inTransaction,
  type NewAuditEntry,
  rowLock,
  toInstant,
} from '../database/index.ts'

/** Identifies an ID token by its issuer's URL and its key (contract/oidc.md, A14). */
interface TokenName {
  readonly issuer: string
  readonly key: string
}

export interface Use extends TokenName {
  readonly at: Date
  /** How long the use is recorded, so that the token cannot be used again. */
  readonly keepUntil: Date
  /** A hexadecimal fingerprint of the `Idempotency-Key`, keyed by the service. */
  readonly idempotencyHash: string | undefined
  /** The session that the token opens, for the rule's account. */
  readonly session: {
    readonly id: SessionId
    readonly description: string
    readonly until: Date
    /** The known facts about the job, stored as JSON. */
    readonly job: object
    /** The token's limits, as `recorded-limits.ts` writes them. */
    readonly limits: string | undefined
  }
  readonly rule: { readonly id: string; readonly version: string }
  /** The audit entry, whose subject is the session. */
  readonly entry: NewAuditEntry
}

interface UsedToken {
  readonly usedAt: Date
  readonly idempotencyHash: string | undefined
  /** The session; undefined once it was removed, after it expired. */
  readonly session:
    | {
        readonly id: SessionId
        readonly accountId: AccountId
        readonly ruleId: string | undefined
        readonly until: Date
        readonly revokedAt: Date | undefined
      }
    | undefined
}

export interface UsedTokenStore {
  /**
   * Opens a session with the ID token, and records it in the audit log, in one transaction. Writes nothing when it
   * returns `used`, or `changed`: the rule is disabled, removed or replaced, or its account is disabled. A concurrent
   * change to the rule, issuer or account either waits for this transaction or takes effect first. If several calls use
   * the token at once, the primary key picks one.
   */
  use(use: Use): Promise<'opened' | 'used' | 'changed'>
  find(name: TokenName): Promise<UsedToken | undefined>
  /** Removes at most `limit` uses that did not have to be kept any more at that instant. Returns how many. */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly usedTokens: UsedTokenStore
  }
}

export const usedTokenStore = ({ query }: Pick<Database, 'query'>): UsedTokenStore => ({
  async use(use) {
    try {
      return await inTransaction(query, async (transaction) => {
        const { rows } = await insertUsed(transaction, valuesOf(use))
        if (rows.length === 0) return 'used'
        const opened = await insertSession(transaction, valuesOf(use), [use.entry])
        if (opened.size === 0) throw new RuleChanged()
        return 'opened'
      })
    } catch (error) {
      if (error instanceof RuleChanged) return 'changed'
      throw error
    }
  },

  async find({ issuer, key }) {
    // Primary keys.
    const row = await query
      .selectFrom('used_workload_token as used')
      .leftJoin('token_session as opened', 'opened.session_id', 'used.session_id')
      .select(['used.used_at', 'used.idempotency_hash'])
      .select(['opened.session_id', 'opened.account_id', 'opened.rule_id'])
      .select(['opened.valid_until', 'opened.revoked_at'])
      .where('used.issuer', '=', issuer)
      .where('used.token_key', '=', key)
      .executeTakeFirst()
    if (!row) return undefined
    const { session_id, account_id, valid_until } = row
    const there = session_id !== null && account_id !== null && valid_until !== null
    return {
      usedAt: fromInstant(row.used_at),
      idempotencyHash: row.idempotency_hash ?? undefined,
      session: there
        ? {
            // The casts are safe: only valid ids are ever inserted.
            id: session_id as SessionId,
            accountId: account_id as AccountId,
            ruleId: row.rule_id ?? undefined,
            until: fromInstant(valid_until),
            revokedAt: fromInstant(row.revoked_at) ?? undefined,
          }
        : undefined,
    }
  },

  async removeExpired(before, limit) {
    // Index used_workload_token_expires, then the primary key.
    const expired = sql`select issuer, token_key from used_workload_token
      where expires_at < ${toInstant(before)} order by expires_at limit ${limit}`
    const { numAffectedRows = 0n } =
      await sql`delete from ${sql.table('used_workload_token')} where (issuer, token_key) in (${expired})`.execute(
        query,
      )
    return Number(numAffectedRows)
  },
})

/** Thrown to roll the transaction back. */
class RuleChanged extends Error {}

const valuesOf = ({ issuer, key, at, keepUntil, idempotencyHash, session, rule }: Use) => ({
  issuer,
  key,
  at: toInstant(at),
  keepUntil: toInstant(keepUntil),
  idempotencyHash: idempotencyHash ?? null,
  sessionId: session.id,
  description: session.description,
  until: toInstant(session.until),
  job: JSON.stringify(session.job),
  limits: session.limits ?? null,
  ruleId: rule.id,
  ruleVersion: rule.version,
})
type Values = ReturnType<typeof valuesOf>

/** Primary key. Waits for a concurrent transaction that uses the same token. */
const insertUsed = compiledOnce(
  (_, { issuer, key, sessionId, at, keepUntil, idempotencyHash }: Values) =>
    sql`insert into ${sql.table('used_workload_token')}
        (issuer, token_key, session_id, used_at, expires_at, idempotency_hash)
      values (${issuer}, ${key}, ${sessionId}, ${at}, ${keepUntil}, ${idempotencyHash})
      on conflict (issuer, token_key) do nothing
      returning session_id`,
)

const insertSession = insertRecorded(
  (query, { sessionId, description, at, until, ruleId, ruleVersion, issuer, job, limits }: Values) => {
    const instant = (value: number) => sql`cast(${value} as bigint)`
    // Primary keys. The order of locks matters: removing an issuer or an account also locks it before its rules.
    return sql`insert into ${sql.table('token_session')}
        (session_id, account_id, description, valid_since, valid_until, created_at, rule_id, job, limits)
      select cast(${sessionId} as text), account.id, cast(${description} as text),
        ${instant(at)}, ${instant(until)}, ${instant(at)}, publisher_rule.id, cast(${job} as text),
        cast(${limits} as text)
      from oidc_issuer, account, publisher_rule
      where oidc_issuer.id = publisher_rule.issuer_id and account.id = publisher_rule.account_id
        and publisher_rule.id = ${ruleId} and publisher_rule.version = ${ruleVersion}
        and publisher_rule.disabled_at is null and oidc_issuer.url = ${issuer} and account.disabled_at is null
      ${rowLock(query, 'share')}
      returning session_id as subject`
  },
)
