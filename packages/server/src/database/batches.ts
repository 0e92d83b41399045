/**
 * Requests that come at the same moment share a statement, or a transaction: whoever comes while one is under way goes
 * with the next, in the order they came. 32 clients that each write a row in a transaction of their own send 32 times as
 * many statements, and on SQLite wait for the disk 32 times.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Unavailable } from '../errors.ts'

interface Member<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Batch<Item, Result> {
  readonly members: Member<Item, Result>[]
  /** Runs it as a part of the request that is first in it: in its trace. */
  readonly inContext: (work: () => Promise<void>) => Promise<void>
}

/** The answers to `items`, one for each and in their order. If it throws anything but `Unavailable`, it wrote nothing. */
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

/** Of one batch. No more wait than there are requests in flight. */
const MOST = 500

/**
 * `run` for one item at a time, as callers see it; one batch is under way at a time. An error of `run` becomes that of
 * the item alone that causes it: without the others each gets another try. Only `Unavailable` is everybody's at once:
 * nobody knows then what was written.
 */
export function inBatches<Item, Result>(run: Run<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Batch<Item, Result>[] = []
  let underWay = false
  const next = () => {
    const batch = waiting.shift()
    underWay = batch !== undefined
    void batch?.inContext(() => settle(batch.members, run)).then(next)
  }
  const join = (member: Member<Item, Result>) => {
    const last = waiting.at(-1)
    if (last && last.members.length < MOST) last.members.push(member)
    else waiting.push({ members: [member], inContext: AsyncLocalStorage.snapshot() })
  }
  return (item) =>
    new Promise((resolve, reject) => {
      join({ item, resolve, reject })
      if (underWay) return
      underWay = true
      // After what else has arrived in this turn of the event loop.
      setImmediate(next)
    })
}

/** As {@link inBatches}, but items of different groups never share a batch. There must be few groups. */
export function inBatchesOf<Item, Result>(
  groupOf: (item: Item) => number,
  run: Run<Item, Result>,
): (item: Item) => Promise<Result> {
  const groups = new Map<number, (item: Item) => Promise<Result>>()
  return (item) => {
    const group = groupOf(item)
    const join = groups.get(group) ?? inBatches(run)
    groups.set(group, join)
    return join(item)
  }
}

/** Never throws. */
async function settle<Item, Result>(
  members: readonly Member<Item, Result>[],
  run: Run<Item, Result>,
): Promise<void> {
  try {
    const results = await run(members.map(({ item }) => item))
    if (results.length !== members.length) throw new TypeError('A batch has one result for each item.')
    for (const [at, result] of results.entries()) members[at]?.resolve(result)
  } catch (error) {
    if (members.length > 1 && !(error instanceof Unavailable)) {
      for (const member of members) await settle([member], run)
    } else for (const { reject } of members) reject(error)
  }
}
