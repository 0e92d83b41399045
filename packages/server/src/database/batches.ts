/**
 * Lets requests that arrive at the same moment share a statement or a transaction. A request that arrives
 * while a batch runs joins the next batch, in order of arrival. Without this, 32 clients that each write a
 * row in their own transaction send 32 times as many statements, and on SQLite wait for the disk 32 times.
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
  /** Runs work in the context of the batch's first request, and so in its trace. */
  readonly inContext: (work: () => Promise<void>) => Promise<void>
}

/** Answers `items`, one answer each, in their order. If it throws anything but `Unavailable`, it wrote nothing. */
type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

/** The maximum number of items in one batch. There are never more waiting than requests in flight. */
const MOST = 500

/**
 * Returns a function that looks to callers like `run` for one item. One batch runs at a time. If `run` fails,
 * each item is retried alone, so only the item that causes the error gets it. With `Unavailable` all items
 * fail at once, because it is then unknown what was written.
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
      // Wait for everything else that arrives in this turn of the event loop.
      setImmediate(next)
    })
}

/** Like {@link inBatches}, but items of different groups never share a batch. Keep the number of groups small. */
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

/** Settles every member. Never throws. */
async function settle<Item, Result>(members: readonly Member<Item, Result>[], run: Run<Item, Result>) {
  try {
    const results = await run(members.map(({ item }) => item))
    if (results.length !== members.length) throw new TypeError('A batch must have one result for each item.')
    for (const [at, result] of results.entries()) members[at]?.resolve(result)
  } catch (error) {
    if (members.length > 1 && !(error instanceof Unavailable)) {
      for (const member of members) await settle([member], run)
    } else for (const { reject } of members) reject(error)
  }
}
