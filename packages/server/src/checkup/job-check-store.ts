/** The queries of `ratafia verify` about CI: rules, a page at a time, and sessions that should not exist. */
import { type RawBuilder, sql } from 'kysely'
import { type Database, databaseNow, type PublisherRuleTable } from '../database/index.ts'

/** A rule with its issuer. A rule without one is found as a dangling reference. */
interface RuleRow extends PublisherRuleTable {
  readonly url: string
  readonly kind: string
  readonly settings: string
}

export interface JobCheckStore {
  rules(): AsyncGenerator<RuleRow>
  /** Returns the first thousand sessions that are still valid although their rule was removed or disabled. */
  sessionsOfEndedRules(): AsyncGenerator<{ readonly id: string }>
}

const PAGE = 500

export const jobCheckStore = ({ query, kind }: Pick<Database, 'query' | 'kind'>): JobCheckStore => ({
  // Uses the primary key, in its order.
  async *rules() {
    for (let last = ''; ; ) {
      const page: RawBuilder<RuleRow> = sql`
        select publisher_rule.*, oidc_issuer.url, oidc_issuer.kind, oidc_issuer.settings
        from publisher_rule join oidc_issuer on oidc_issuer.id = publisher_rule.issuer_id
        where publisher_rule.id > ${last} order by publisher_rule.id limit ${sql.lit(PAGE)}`
      const { rows } = await page.execute(query)
      yield* rows
      last = rows.at(-1)?.id ?? ''
      if (rows.length < PAGE) return
    }
  },

  // Uses the index token_session_rule.
  async *sessionsOfEndedRules() {
    yield* (
      await sql<{ id: string }>`
        select token_session.session_id as id
        from token_session left join publisher_rule on publisher_rule.id = token_session.rule_id
        where token_session.rule_id is not null and token_session.valid_until > ${databaseNow(kind)}
          and token_session.revoked_at is null
          and (publisher_rule.id is null or publisher_rule.disabled_at is not null)
        limit 1000`.execute(query)
    ).rows
  },
})
