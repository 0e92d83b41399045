/** Jobs that run beside a test, as a process of the service runs them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../../src/installation.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'

/** For as long as `work` takes. */
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
