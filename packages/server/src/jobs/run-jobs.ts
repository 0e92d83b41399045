/**
 * Runs periodic jobs in the process that has the lease of each. A lease only saves work: a process may be suspended for
 * longer than its lease lasts, so two may run a job at once, and every job must tolerate that.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Lease, LeaseStore } from './lease-store.ts'

export interface Job {
  readonly name: string
  /** The time from the end of a run to the next. */
  readonly everyMs: number
  /** Calls `goOn` between steps; it returns false once the process is stopping or another has taken over the job. */
  readonly run: (goOn: () => Promise<boolean>) => Promise<void>
}

interface JobsDeps {
  readonly leases: LeaseStore
  /** Returns false while this process must leave the work to others. Default: always true. */
  readonly mayWork?: () => boolean
  readonly onError: (error: unknown, job: string) => void
}

/** Longer than any step takes. After this time, others take over the jobs of a process that died. */
const LEASE_MS = 15_000
/** How often processes without the lease check whether it is free. */
const STANDBY_MS = 5_000
const OTHERS: Lease = { held: false, restMs: STANDBY_MS }
/** After errors, the wait doubles up to this. */
const MAX_WAIT_MS = 60_000

/** `stop` waits for the running step, and releases the leases. */
export function runJobs(
  jobs: readonly Job[],
  { leases, mayWork = () => true, onError }: JobsDeps,
): { stop(): Promise<void> } {
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  const loops = jobs.map(async (job) => {
    const hold = async () => (mayWork() ? leases.take(job.name, holder, LEASE_MS) : OTHERS)
    const goOn = async () => {
      // On SQLite, a step can run without a turn of the event loop, which requests, timers and signals need.
      await setImmediate()
      return !signal.aborted && (await hold()).held
    }
    let failures = 0
    for (let wait = Math.min(job.everyMs, STANDBY_MS); await pause(wait, signal); ) {
      try {
        const lease = await hold()
        if (lease.held) await job.run(goOn)
        wait = lease.held ? job.everyMs : Math.min(lease.restMs, STANDBY_MS)
        failures = 0
      } catch (error) {
        onError(error, job.name)
        wait = Math.max(job.everyMs, Math.min(1_000 * 2 ** failures++, MAX_WAIT_MS))
      }
    }
  })
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
      // If this fails, the leases expire anyway.
      await leases.release(holder).catch((error: unknown) => onError(error, 'release'))
    },
  }
}

/** Waits, varied by a fifth, so that nodes that started together spread out. Returns false if interrupted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}
