/** A rule with the warnings that it was made with. */
import { RequestError } from '../../../errors.ts'
import type { TransactionStores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import { checkRule } from '../check-rule.ts'
import type { KnownRule } from '../rule-store.ts'
import { findRule } from './find-rule.ts'

export interface ShownRule extends KnownRule {
  /** Sentences, also about why the rule could not be made today. */
  readonly warnings: readonly string[]
}

/** Throws `invalid-field` when there is no such rule. */
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
