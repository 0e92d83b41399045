/** Stores the counts of a process, every minute and when it ends. */
import { type CountedRow, type CounterStore, keyOf } from './counter-store.ts'
import { ALL_BRANDS, MOST_BRANDS, OTHER_BRANDS } from './series.ts'
import type { KeptTally } from './tally.ts'

interface SendDeps {
  readonly tally: Pick<KeptTally, 'take' | 'giveBack'>
  readonly counters: Pick<CounterStore, 'add' | 'brandsOf'>
  /** Called for counts that were not stored. They will be retried. */
  readonly onError: (error: unknown) => void
  readonly everyMs?: number
}

const EVERY_MS = 60_000

/** Starts to send counts. `flush` and `stop` never throw. */
export function sendCounters({ tally, counters, onError, everyMs = EVERY_MS }: SendDeps): {
  flush(): Promise<void>
  stop(): Promise<void>
} {
  let sending: Promise<void> | undefined
  const send = async () => {
    const rows = tally.take()
    if (rows.length === 0) return
    try {
      await counters.add(await withKnownBrands(rows, counters))
    } catch (error) {
      tally.giveBack(rows)
      onError(error)
    }
  }
  const flush = () => {
    sending ??= send().finally(() => {
      sending = undefined
    })
    return sending
  }
  const timer = setInterval(flush, everyMs).unref()
  return {
    flush,
    async stop() {
      clearInterval(timer)
      await sending
      await flush()
    },
  }
}

const NO_BRANDS = { first: new Set<string>(), later: new Set<string>() }

/** Leaves out counts of unknown brands, because a client can name any brand. */
async function withKnownBrands(
  rows: readonly CountedRow[],
  { brandsOf }: Pick<CounterStore, 'brandsOf'>,
): Promise<readonly CountedRow[]> {
  const named = new Set(rows.map(({ brandId }) => brandId))
  named.delete(ALL_BRANDS)
  named.delete(OTHER_BRANDS)
  const { first, later } = named.size === 0 ? NO_BRANDS : await brandsOf([...named], { first: MOST_BRANDS })
  const countedAs = (brandId: string) => {
    if (!named.has(brandId) || first.has(brandId)) return brandId
    return later.has(brandId) ? OTHER_BRANDS : undefined
  }
  const sums = new Map<string, CountedRow>()
  for (const row of rows) {
    const brandId = countedAs(row.brandId)
    if (brandId === undefined) continue
    const counted = { ...row, brandId }
    const key = keyOf(counted)
    sums.set(key, { ...counted, n: counted.n + (sums.get(key)?.n ?? 0) })
  }
  return [...sums.values()]
}
