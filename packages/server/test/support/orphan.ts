/** A supervisor with one worker, which begins to listen only after its supervisor was killed. */
import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { localCounters } from '../../src/limits/counters.ts'
import { inWorker } from '../../src/workers/in-worker.ts'

if (cluster.isPrimary) {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.fork()
  await sleep(600_000)
} else {
  const supervisor = process.ppid
  inWorker({ fallback: localCounters({ clock: () => new Date() }), release: 'any' })
  process.stdout.write('ready\n')
  // Blocks, so that the worker cannot notice first.
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (process.ppid === supervisor) Atomics.wait(never, 0, 0, 10)
  createServer().listen(0, '127.0.0.1')
}
