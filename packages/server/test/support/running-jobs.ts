/** Runs jobs during a test, as a process of the service does. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../../src/installation.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'

/** Runs jobs until `work` has finished, and returns its result. */
export async function whileJobsRun<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  let goOn = true
  const running = (async () => {
    while (goOn) {
      await runJobs(async () => goOn, installation)
      await sleep(20)
    }
  })()
  try {
    return await work()
  } finally {
    goOn = false
    await running
  }
}
