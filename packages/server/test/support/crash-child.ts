/**
 * Runs the service in a process that kills itself with SIGKILL at one step of the first request. Its argument (JSON)
 * has the number of the step, and whether to die before or right after it. A step is a statement sent to the database,
 * or the end of an answer. Reads do not count: a death at a read leaves the database as a death at the next step does.
 * The process prints its URL. If it never reaches the step, it answers like the normal service. With the work `jobs`,
 * it instead runs the existing jobs of the management API, and prints "done", which is the last step.
 */
import { subscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'
import { flushCompileCache } from 'node:module'
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

/** Matches statements that do not count: reads, and heartbeats, which the service sends five times a second. */
const NO_STEP = /^\s*select\b|pg_logical_emit_message/i

/** Counts each call of the method as a step, except statements that do not count. */
function watch(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new TypeError(`no method ${name}`)
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): unknown {
    const isStep = armed && !NO_STEP.test(statementOf(this, args[0]))
    const mine = isStep && ++steps === plan.step
    if (mine && plan.when === 'before') die()
    const result: unknown = Reflect.apply(original, this, args)
    // Data for a server in another process has been sent by the next turn of the event loop.
    if (mine) setImmediate(die)
    return result
  })
}

/** Returns the SQL of a call, or '' if it has none. */
function statementOf(called: unknown, argument: unknown): string {
  if (called instanceof StatementSync) return called.sourceSQL
  return typeof argument === 'string'
    ? argument
    : String((argument as { text?: unknown } | undefined)?.text ?? '')
}

if (plan.database.kind === 'sqlite') {
  watch(DatabaseSync.prototype, 'exec')
  watch(StatementSync.prototype, 'run')
  watch(StatementSync.prototype, 'all')
} else {
  watch(pg.Client.prototype, 'query')
}
watch(ServerResponse.prototype, 'end')
watch(process.stdout, 'write')

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
  flushCompileCache()
  armed = true
  await runJobs(async () => true, installation)
  process.stdout.write('done\n')
  armed = false
  await installation.close()
} else {
  const { startService } = await import('../../src/start/service/service.ts')
  const service = await startService(options)
  flushCompileCache()
  subscribe('http.server.request.start', () => {
    armed = true
  })
  process.stdout.write(`${service.origin}\n`)
}
