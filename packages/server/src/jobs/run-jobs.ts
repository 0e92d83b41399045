/**
 * Periodic work, done by whichever process holds the lease of the job. A lease only saves work: a process may be stopped
 * for longer than it holds one, so two may run a job at once, and every job has to stand that.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LeaseStore } from './lease-store.ts'

export interface Job {
  readonly name: string
  /** How long from the end of a run to the next. */
  readonly everyMs: number
  /** `goOn` is asked between two steps: false when the process ends, or somebody else has the job now. */
  readonly run: (goOn: () => Promise<boolean>) => Promise<void>
}

interface JobsDeps {
  readonly leases: LeaseStore
  readonly onError: (error: unknown, job: string) => void
}

export interface RunningJobs {
  /** Waits for the step that runs, and leaves the leases to others. */
  stop(): Promise<void>
}

/** Longer than any step takes; after it others take over what a process that died has left. */
const LEASE_MS = 15_000
/** How often whoever does not have the lease looks whether it is free. */
const STANDBY_MS = 5_000
/** After an error the wait doubles up to this. */
const MAX_WAIT_MS = 60_000

export function runJobs(jobs: readonly Job[], { leases, onError }: JobsDeps): RunningJobs {
  const holder = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  const loops = jobs.map(async (job) => {
    const hold = () => leases.take(job.name, holder, LEASE_MS)
    const goOn = async () => !signal.aborted && (await hold()).held
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
      // Without it the leases end by themselves.
      await leases.release(holder).catch((error: unknown) => onError(error, 'release'))
    },
  }
}

/** With a fifth more or less, so that nodes started together do not come together. False when it was interrupted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}
