/** The dependencies of operations in tests. */
import { randomBytes } from 'node:crypto'
import type { AuthoredStores } from '../../src/change.ts'
import type { Database } from '../../src/database/index.ts'
import { countStore } from '../../src/devices/counts/count-store.ts'
import { listStore } from '../../src/devices/fleet/list-store.ts'
import { deviceTransferStore } from '../../src/devices/transfer/device-transfer-store.ts'
import { createSealer } from '../../src/keyring/sealing.ts'
import { changesOn, storesOn } from '../../src/start/stores.ts'
import type { Stores } from '../../src/stores.ts'
import { TESTER } from './changes.ts'

/** Dependencies that an operation does not require. */
const OPTIONAL: ReadonlySet<string | symbol> = new Set(['brandMemory', 'mostRows', 'then', 'toJSON'])

/** Returns dependencies with only these members. An operation that uses another member fails. */
export const storesWith = <Part extends object>(part: Part): Stores & Part =>
  new Proxy(part, {
    get: (given, name) => {
      if (name in given) return Reflect.get(given, name)
      if (typeof name === 'symbol' || OPTIONAL.has(name)) return undefined
      throw new Error(`This test has no ${name}. Pass one to the operation.`)
    },
  }) as Stores & Part

/**
 * Returns every store on this database, and the transactions that change them, as `start/` creates them. There is no
 * keyring or password hasher unless given. Changes without a given author are by `tester`, from `test`.
 */
export function storesOf<Given extends Partial<Stores>>(
  database: Database,
  given: Given = {} as Given,
): AuthoredStores & Given {
  const { clock = () => new Date(), sealer = createSealer(randomBytes(32)) } = given
  const { changeBy, ...changes } = changesOn(database, { clock, sealer })
  return storesWith({
    clock,
    sealer,
    ...storesOn(database),
    deviceTransfers: deviceTransferStore(database),
    deviceLists: listStore(database),
    deviceCounts: countStore(database),
    changeBy,
    change: changeBy(TESTER),
    ...changes,
    ...given,
  })
}
