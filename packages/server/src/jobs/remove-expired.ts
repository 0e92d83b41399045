/** Removes rows that are no longer needed, a few at a time, so that no request waits for this. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

export interface RetentionTask {
  /** The name in the log and the metrics. */
  readonly table: string
  /** How long to keep an expired row, in milliseconds. */
  readonly keepMs: number
  /** Removes at most `limit` rows that expired before this instant. Returns how many. */
  readonly remove: (before: Date, limit: number) => Promise<number>
}

export interface RetentionDeps {
  readonly clock: Clock
  readonly goOn: () => Promise<boolean>
  readonly onRun: (task: string, outcome: 'ok' | 'failed', removed: number) => void
}

/** Rows per transaction. */
const BATCH = 500
const PAUSE_MS = 50

/** Runs all tasks, one after the other. Throws the first error after all of them have run. */
export async function removeExpired(tasks: readonly RetentionTask[], deps: RetentionDeps): Promise<void> {
  const errors: unknown[] = []
  for (const task of tasks) {
    let removed = 0
    try {
      for (;;) {
        const before = new Date(deps.clock().getTime() - task.keepMs)
        const batch = await task.remove(before, BATCH)
        removed += batch
        if (batch < BATCH || !(await deps.goOn())) break
        await sleep(PAUSE_MS)
      }
      deps.onRun(task.table, 'ok', removed)
    } catch (error) {
      errors.push(error)
      deps.onRun(task.table, 'failed', removed)
    }
    if (!(await deps.goOn())) break
  }
  if (errors.length > 0) throw errors[0]
}
