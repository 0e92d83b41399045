/**
 * Runs the service in a process that kills itself with SIGKILL at one step of the first request. Its argument (JSON)
 * has the number of the step, and whether to die before or right after it. A step is a statement sent to the database,
 * or the end of an answer. It prints its URL. If it never reaches the step, it answers like the normal service. With
 * the work `jobs`, it instead runs the existing jobs of the management API, and prints "done".
 */
import { ServerResponse } from 'node:http'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import type { DatabaseTarget } from '../../src/database/index.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { cheapPasswords } from './passwords.ts'

export interface CrashPlan {
  readonly environment: Readonly<Record<string, string>>
  readonly database: DatabaseTarget
  readonly step: number
  readonly when: 'before' | 'after'
  /** Default: a service. */
  readonly work?: 'jobs'
}

const plan = JSON.parse(process.argv[2] ?? '') as CrashPlan
let armed = false
let steps = 0

const die = () => process.kill(process.pid, 'SIGKILL')

/**
 * Whether a statement is a heartbeat, which the service sends five times a second. Heartbeats do not count as steps, so
 * that the number of a step does not depend on the time until the request.
 */
const isBeat = (statement: unknown): boolean =>
  JSON.stringify(statement ?? '').includes('pg_logical_emit_message')

/** Counts each call of the method as a step. */
function watch(prototype: object, name: string): void {
  const original: unknown = Reflect.get(prototype, name)
  if (typeof original !== 'function') throw new TypeError(`no method ${name}`)
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]): unknown {
    const mine = armed && !isBeat(args[0]) && ++steps === plan.step
    if (mine && plan.when === 'before') die()
    const result: unknown = Reflect.apply(original, this, args)
    // Data for a server in another process has been sent by the next turn of the event loop.
    if (mine) setImmediate(die)
    return result
  })
}

if (plan.database.kind === 'sqlite') {
  watch(DatabaseSync.prototype, 'exec')
  watch(StatementSync.prototype, 'run')
  watch(StatementSync.prototype, 'all')
} else {
  watch(pg.Client.prototype, 'query')
}
watch(ServerResponse.prototype, 'end')

const config = readConfig(plan.environment)
const options = {
  config: { ...config, database: plan.database },
  log: createLog({ level: 'silent', pretty: false }),
  passwords: cheapPasswords(),
}
if (plan.work === 'jobs') {
  const { openInstallation } = await import('../../src/start/installation.ts')
  const { runJobs } = await import('../../src/management/jobs/run-jobs.ts')
  const installation = await openInstallation({ ...options, schema: 'require' })
  armed = true
  await runJobs(async () => true, installation)
  armed = false
  process.stdout.write('done\n')
  await installation.close()
} else {
  const { startService } = await import('../../src/start/service/service.ts')
  const service = await startService(options)
  armed = true
  process.stdout.write(`${service.origin}\n`)
}
