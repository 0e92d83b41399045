/** Connects what only the console does about rules of the own account. */
import { addOwnRule, lookUpOwnIds } from '../../ci/rules/making/add-own-rule.ts'
import { requireJustSignedIn } from '../../ci/rules/making/rule-maker.ts'
import type { OwnPublishers } from '../../console/publishers/own-publishers.ts'
import type { Installation } from '../../installation.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'

export function ownPublishers(
  { baseUrl }: Pick<TokenDependencies, 'baseUrl'>,
  installation: Installation,
): OwnPublishers {
  const { jobMaxLifetime } = installation.config
  return {
    requireJustSignedIn,
    add: (input) => addOwnRule(input, { ...installation, jobMaxLifetime }),
    lookUp: (input) => lookUpOwnIds(input, installation),
    ...{ baseUrl, mostLifetime: jobMaxLifetime / 1000 },
  }
}
