/** Changes for operations under test, built as `start/` builds them: by `tester`, from `test`. */
import type { Stores } from '../../src/stores.ts'
import type { Authority } from '../../src/authority.ts'
import type { Changing, ChangingBy } from '../../src/change.ts'
import type { Database } from '../../src/database/index.ts'
import { changing } from '../../src/start/changing.ts'

export const TESTER = { actor: 'tester', source: 'test' } as const

/** The same by anybody. */
export const changesBy = <Stores>(
  database: Database,
  storesOn: (on: Pick<Database, 'query'>) => Stores,
  clock = () => new Date(),
): ChangingBy<Stores> => changing(database, clock, storesOn)

export const changeOf = <Stores>(
  database: Database,
  storesOn: (on: Pick<Database, 'query'>) => Stores,
  clock = () => new Date(),
): Changing<Stores> => changesBy(database, storesOn, clock)(TESTER)

/** By whoever has the database, as its commands make changes. */
export const byOperator = <Stores>({
  authority,
  changeBy,
}: {
  readonly authority: Authority
  readonly changeBy: ChangingBy<Stores>
}): Changing<Stores> => changeBy(authority.author)
