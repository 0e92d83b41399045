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
  /** For the first of a batch: what belongs to its request, such as the trace. */
  readonly inContext: ((work: () => Promise<void>) => Promise<void>) | undefined
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
  const waiting: Member<Item, Result>[] = []
  let underWay = false
  const next = () => {
    const batch = waiting.splice(0, MOST)
    underWay = batch.length > 0
    void batch[0]?.inContext?.(() => settle(batch, run)).then(next)
  }
  return (item) =>
    new Promise((resolve, reject) => {
      const isFirst = waiting.length % MOST === 0
      waiting.push({ item, resolve, reject, inContext: isFirst ? AsyncLocalStorage.snapshot() : undefined })
      if (underWay) return
      underWay = true
      // After what else has arrived in this turn of the event loop.
      setImmediate(next)
    })
}

/** Never throws. */
async function settle<Item, Result>(
  batch: readonly Member<Item, Result>[],
  run: Run<Item, Result>,
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new TypeError('A batch has one result for each item.')
    for (const [at, result] of results.entries()) batch[at]?.resolve(result)
  } catch (error) {
    if (batch.length > 1 && !(error instanceof Unavailable)) {
      for (const member of batch) await settle([member], run)
    } else for (const { reject } of batch) reject(error)
  }
}
