/** Writes the rows of issuers and sessions that tests of rules need. */
import { randomUUID } from 'node:crypto'
import { type IssuerSettings, LONGEST_LIFE } from '../../src/ci/issuers/issuer.ts'
import type { KindName } from '../../src/ci/issuers/kinds.ts'
import type { Database } from '../../src/database/index.ts'

type On = Pick<Database, 'query'>

export const GITHUB = 'https://token.actions.githubusercontent.com'
export const GITLAB = 'https://gitlab.com'

/** Adds an issuer without keys, which can be looked up but verifies nothing. Returns its id. */
export async function givenIssuer(
  { query }: On,
  url: string,
  kind: KindName,
  settings: Partial<IssuerSettings> = {},
): Promise<string> {
  const id = randomUUID()
  const all: IssuerSettings = {
    ...{ audience: null, otherAudiences: [], privateAddresses: [], stableClaims: null },
    ...{ namesCanBeReused: false, longestLife: LONGEST_LIFE.standard, ...settings },
  }
  await query
    .insertInto('oidc_issuer')
    .values({ id, url, kind, settings: JSON.stringify(all), created_at: Date.now() })
    .execute()
  const keys = { revision: 'none', keys: '{"keys":[]}', algorithms: '[]', failure: null, pinned_at: 1 }
  await query
    .insertInto('oidc_issuer_keys')
    .values({ issuer_id: id, ...keys, fetched_at: Date.now(), tried_at: Date.now() })
    .execute()
  return id
}

/** Adds a session like one that an exchange opens by a rule. Returns its id. */
export async function givenSession({ query }: On, ruleName: string): Promise<string> {
  const { id: rule_id, account_id } = await query
    .selectFrom('publisher_rule')
    .select(['id', 'account_id'])
    .where('name', '=', ruleName)
    .executeTakeFirstOrThrow()
  const session_id = randomUUID()
  const now = Date.now()
  const times = { valid_since: now, valid_until: now + 900_000, created_at: now }
  const job = JSON.stringify({ rule: ruleName, issuer: GITHUB, claims: { run_id: '1' } })
  await query
    .insertInto('token_session')
    .values({ session_id, account_id, ...times, rule_id, job, description: ruleName })
    .execute()
  return session_id
}
