/** Authors for changes in tests, which come neither from a request nor from a command. */
import type { Authority } from '../../src/authority.ts'
import type { Changing, ChangingBy } from '../../src/change.ts'

export const TESTER = { actor: 'tester', source: 'test' } as const

/** Returns a function that makes changes as the operator, like the commands that work on the database. */
export const byOperator = ({
  authority,
  changeBy,
}: {
  readonly authority: Authority
  readonly changeBy: ChangingBy
}): Changing => changeBy(authority.author)
