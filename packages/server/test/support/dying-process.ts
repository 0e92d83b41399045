/** Starts a process that kills itself at one step of its work (see `crash-child.ts`). */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { bundled, CRASH_CHILD, compiled } from '../../../../tools/test/programs.ts'
import type { DatabaseTarget } from '../../src/database/index.ts'
import type { CrashPlan } from './crash-child.ts'
import { connectionsEnded } from './databases.ts'

export interface DyingProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>
  /** The exit code and signal, once the database has finished the statements that the process had sent. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

interface Dying extends Pick<CrashPlan, 'step' | 'when' | 'work'> {
  readonly database: DatabaseTarget
  /** The data directory, if the database is PostgreSQL. */
  readonly directory: string
  readonly secretKey: string
}

export function startDying({ database, directory, secretKey, ...plan }: Dying): DyingProcess {
  const name = `dying ${randomBytes(8).toString('hex')}`
  const environment = {
    RATAFIA_PORT: '0',
    RATAFIA_DATA_DIR: database.kind === 'sqlite' ? dirname(database.file) : directory,
    RATAFIA_SECRET_KEY: secretKey,
  }
  const whole: CrashPlan = { ...plan, environment, database: named(database, name) }
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', bundled(CRASH_CHILD), JSON.stringify(whole)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled() },
    },
  )
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    if (database.kind === 'postgres') await connectionsEnded(name)
    return { code, signal }
  })
  return { child, ended }
}

function named(database: DatabaseTarget, name: string): DatabaseTarget {
  if (database.kind === 'sqlite') return database
  const url = new URL(database.url)
  url.searchParams.set('application_name', name)
  return { ...database, url: url.href }
}
