/** Finds and lists rules: all of them, or those of the caller's own account. */
import type { AccountId } from '@ratafia/api'
import { findAccount } from '../../../accounts/find.ts'
import type { Authority } from '../../../authority.ts'
import { noSuchRecord, quote, RequestError } from '../../../errors.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import { checkRule } from '../check-rule.ts'
import { isRuleName } from '../rule.ts'
import type { KnownRule, RuleStore } from '../rule-store.ts'

/** Throws `no-such-record` if there is no such rule. */
export async function findRule(name: string, rules: Pick<RuleStore, 'find'>): Promise<KnownRule> {
  const found = await ruleNamed(name, rules)
  if (found) return found
  throw noRule(name)
}

/** The name can be any string, even one that a database refuses. */
const ruleNamed = async (name: string, rules: Pick<RuleStore, 'find'>): Promise<KnownRule | undefined> =>
  isRuleName(name) ? rules.find(name) : undefined

export const noRule = (name: string): RequestError =>
  noSuchRecord(`There is no rule ${quote(name)}. \`ratafia publishers list\` shows all of them.`, {
    kind: 'publisher',
    id: name,
  })

interface ShownRule extends KnownRule {
  /** Sentences, including why the rule could not be created today. */
  readonly warnings: readonly string[]
}

/** Throws `no-such-record` if there is no such rule. */
export const showRule = async (name: string, stores: TransactionStores): Promise<ShownRule> =>
  withWarnings(await findRule(name, stores.rules), stores)

export async function withWarnings(known: KnownRule, stores: TransactionStores): Promise<ShownRule> {
  const { issuer } = await findIssuer(known.issuer.url, stores)
  try {
    return { ...known, warnings: checkRule(issuer, known.rule.match).warnings }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return { ...known, warnings: error.message.split('\n') }
  }
}

/** Sorted by name, which is also the position in the list. */
export async function listOwnRules(
  { authority, after, limit }: Paging<string> & { readonly authority: Authority },
  { rules }: TransactionStores,
): Promise<Page<KnownRule>> {
  const accountId = ownAccountId(authority)
  return pageOf(limit, (most) => rules.page({ accountId, issuerId: undefined, after, limit: most }))
}

/** Throws {@link RequestError} `no-such-record`, with the same message for a rule of another account. */
export async function findOwnRule(
  { authority, name }: { readonly authority: Authority; readonly name: string },
  { rules }: TransactionStores,
): Promise<KnownRule> {
  const accountId = ownAccountId(authority)
  const found = await ruleNamed(name, rules)
  if (found?.rule.accountId === accountId) return found
  throw noOwnRule(name)
}

export const noOwnRule = (name: string): RequestError =>
  noSuchRecord(`You have no rule ${quote(name.slice(0, 64))}.`, { kind: 'publisher', id: name.slice(0, 64) })

function ownAccountId({ accountId }: Authority): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has rules of its own')
  return accountId
}

/**
 * Lists all rules, or those of an account (username or id) or an issuer (URL or id), by name. Throws `no-such-record`
 * if there is no such account or issuer.
 */
export async function listRules(
  input: Paging<string> & { readonly account?: string | undefined; readonly issuer?: string | undefined },
  stores: TransactionStores,
): Promise<Page<KnownRule>> {
  const account = input.account === undefined ? undefined : await findAccount(input.account, stores)
  const issuer = input.issuer === undefined ? undefined : (await findIssuer(input.issuer, stores)).issuer
  return pageOf(input.limit, (limit) =>
    stores.rules.page({ accountId: account?.id, issuerId: issuer?.id, after: input.after, limit }),
  )
}
