/** A dry run makes the whole change, so that whatever would refuse it does, and stores nothing of it. */
import type { Changing, Recording } from './change.ts'

/** Runs `work` on a transaction, which is undone at its end if `dryRun`. */
export async function changeUnlessDry<Stores, T>(
  dryRun: boolean,
  change: Changing<Stores>,
  work: (on: Stores & Recording) => Promise<T>,
): Promise<T> {
  if (!dryRun) return change(work)
  const results: T[] = []
  const undo = new Error('the end of a dry run')
  try {
    return await change(async (on) => {
      results.push(await work(on))
      throw undo
    })
  } catch (error) {
    const result = results.at(-1)
    if (error !== undo || result === undefined) throw error
    return result
  }
}
