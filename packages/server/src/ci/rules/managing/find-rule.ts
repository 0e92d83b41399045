/** Finds a rule by its name. */
import { invalidField, quote, RequestError } from '../../../errors.ts'
import type { TransactionStores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import { checkRule } from '../check-rule.ts'
import { isRuleName } from '../rule.ts'
import type { KnownRule, RuleStore } from '../rule-store.ts'

/** Throws `invalid-field` if there is no such rule. */
export async function findRule(name: string, rules: Pick<RuleStore, 'find'>): Promise<KnownRule> {
  // The name can be any string, even one that a database refuses.
  const found = isRuleName(name) ? await rules.find(name) : undefined
  if (found) return found
  throw noRule(name)
}

export const noRule = (name: string): RequestError =>
  invalidField(`There is no rule ${quote(name)}. \`ratafia publishers list\` shows all of them.`, {
    field: 'name',
  })

interface ShownRule extends KnownRule {
  /** Sentences, including why the rule could not be created today. */
  readonly warnings: readonly string[]
}

/** Throws `invalid-field` if there is no such rule. */
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
