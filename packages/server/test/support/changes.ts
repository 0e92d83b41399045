/** Who makes changes in tests, where no request and no command does. */
import type { Authority } from '../../src/authority.ts'
import type { Changing, ChangingBy } from '../../src/change.ts'

export const TESTER = { actor: 'tester', source: 'test' } as const

/** By whoever has the database, as its commands make changes. */
export const byOperator = ({
  authority,
  changeBy,
}: {
  readonly authority: Authority
  readonly changeBy: ChangingBy
}): Changing => changeBy(authority.author)
