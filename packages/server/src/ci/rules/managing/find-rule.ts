/** The rule that somebody names. */
import { invalidField, quote, type RequestError } from '../../../errors.ts'
import type { KnownRule, RuleStore } from '../rule-store.ts'
import { isRuleName } from './rule-name.ts'

/** Throws `invalid-field` when there is none. */
export async function findRule(name: string, rules: Pick<RuleStore, 'find'>): Promise<KnownRule> {
  // The name may be any text, even one that a database refuses.
  const found = isRuleName(name) ? await rules.find(name) : undefined
  if (found) return found
  throw noRule(name)
}

export const noRule = (name: string): RequestError =>
  invalidField(`There is no rule ${quote(name)}. \`ratafia publishers list\` shows all of them.`, {
    field: 'name',
  })
