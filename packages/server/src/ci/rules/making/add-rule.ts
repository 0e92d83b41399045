/** Adds a rule. From then on, jobs that match it get tokens for an account (contract/oidc.md, A6 to A12). */
import { randomUUID } from 'node:crypto'
import type { Account } from '../../../accounts/account.ts'
import { invalidField } from '../../../errors.ts'
import type { Issuer } from '../../issuers/issuer.ts'
import { formatMatch } from '../matcher.ts'
import { type Rule, versionOf } from '../rule.ts'
import type { KnownRule, NewRule } from '../rule-store.ts'
import { idsOfRule } from '../stable-ids.ts'
import { type CheckDeps, checkWanted, type WantedRule } from './check-wanted.ts'
import { authorOf, requireMayLetJobsIn } from './rule-maker.ts'

export interface AddedRule extends KnownRule {
  readonly rule: Rule
  /** Sentences for the rule's author. */
  readonly warnings: readonly string[]
}

/** An exchange reads all rules of a project at once. */
export const MOST_RULES_OF_A_PROJECT = 100

/** Throws `invalid-field` (a line per problem) and the errors of `requireMayMakeRules` and `requireMayLetJobsIn`. */
export async function addRule(wanted: WantedRule, deps: CheckDeps): Promise<AddedRule> {
  const createdAt = deps.clock()
  const { account, issuer, match, warnings, grants, lifetime } = await checkWanted(wanted, createdAt, deps)
  const said = {
    name: wanted.name,
    issuerId: issuer.id,
    accountId: account.id,
    match,
    grants,
    lifetime,
    createdAt,
  }
  const rule = { id: randomUUID(), ...said, version: versionOf(said) }
  const ids = idsOfRule(issuer, match)
  await deps.changeBy(authorOf(wanted.maker))(async (on) => {
    const { accounts, rules, record } = on
    await requireMayLetJobsIn(wanted.maker, { account, now: createdAt }, on)
    if (!(await accounts.keep(account.id))) {
      throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
    }
    if ((await rules.countOfIds(issuer.id, ids)) >= MOST_RULES_OF_A_PROJECT) throw tooMany()
    if (!(await rules.insert({ rule, ids }))) {
      throw invalidField(`There is already a rule "${rule.name}". Choose another name.`, { field: 'name' })
    }
    await record({ action: 'publisher.add', subject: rule.name, details: detailsOf(rule, issuer, account) })
  })
  return {
    rule: { ...rule, disabledAt: undefined, lastUsedAt: undefined },
    issuer: { url: issuer.url, kind: issuer.kind },
    account: { username: account.username, disabledAt: account.disabledAt },
    warnings,
  }
}

const tooMany = () =>
  invalidField(
    `There are already ${MOST_RULES_OF_A_PROJECT} rules for this project. Remove one that is not needed.`,
    { field: 'match' },
  )

const detailsOf = (
  { match, grants, lifetime, version }: NewRule['rule'],
  { url }: Issuer,
  { username }: Account,
) => ({
  ...{ account: username, issuer: url, match: formatMatch(match) },
  permissions: grants.permissions,
  packages: grants.packages,
  channels: grants.channels,
  stores: grants.storeIds,
  lifetime_seconds: lifetime / 1000,
  version,
})
