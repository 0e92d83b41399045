/** What operations under test work with. */
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

/** What an operation does without where it is not given. */
const OPTIONAL: ReadonlySet<string | symbol> = new Set(['brandMemory', 'mostRows', 'then', 'toJSON'])

/** Only these; an operation that asks for anything else fails. */
export const storesWith = <Part extends object>(part: Part): Stores & Part =>
  new Proxy(part, {
    get: (given, name) => {
      if (name in given) return Reflect.get(given, name)
      if (typeof name === 'symbol' || OPTIONAL.has(name)) return undefined
      throw new Error(`This test has no ${name}: give it one.`)
    },
  }) as Stores & Part

/**
 * Every store on this database, and the transactions that change them, as `start/` makes them; no keyring and no hasher
 * of passwords unless they are given. Changes whose author is always the same are by `tester`, from `test`.
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
