/** A host of a Patroni cluster: Patroni, the PostgreSQL that it runs, and the network to the other hosts. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { endWithThisProcess } from '../../../faults/world/processes.ts'
import type { TcpProxy } from '../../../faults/world/proxy.ts'
import { queryAlone } from '../../../faults/world/query-alone.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import type { Account } from '../../../tools/test/postgres.ts'
import { answers } from './http.ts'
import type { Command } from './patroni-installation.ts'

const LAST_LINES = 30
const CONNECT_WITHIN_MS = 10_000
/** PostgreSQL's error code of a server that is starting or stopping. */
const CANNOT_CONNECT_NOW = '57P03'

export interface MemberParts {
  readonly name: string
  /** The source address of its Patroni's connections: in 127.0.0.0/8, and not used by other members. */
  readonly address: string
  /** The port of PostgreSQL itself. */
  readonly port: number
  /** The port of Patroni's REST API itself. */
  readonly rest: number
  /** The proxies that the other members use instead of these two ports. */
  readonly proxies: { readonly postgres: TcpProxy; readonly rest: TcpProxy }
  /** The directory of its files, which belongs to `account`. */
  readonly directory: string
  readonly account: Account | undefined
  /** The path of Patroni's settings. */
  readonly settings: string
  /** The command that runs Patroni in the foreground. */
  readonly command: Command
  /** The password of PostgreSQL's superuser. */
  readonly password: string
}

export interface Status {
  readonly timeline: number
  /** Whether it leads without etcd, because all members agree. */
  readonly failsafe: boolean
}

export class Member {
  readonly name: string
  readonly port: number
  readonly #parts: MemberParts
  #patroni: ChildProcess | undefined

  constructor(parts: MemberParts) {
    this.name = parts.name
    this.port = parts.port
    this.#parts = parts
  }

  get address(): string {
    return this.#parts.address
  }

  get settings(): string {
    return this.#parts.settings
  }

  get proxies(): readonly TcpProxy[] {
    return Object.values(this.#parts.proxies)
  }

  /** Starts Patroni, which starts PostgreSQL or takes over one that runs. */
  start(): void {
    const { command, directory, account } = this.#parts
    const [program, ...words] = command.words
    const log = openSync(join(directory, 'patroni.log'), 'a')
    const child = spawn(program, words, {
      ...{ ...account, cwd: directory, env: command.environment },
      stdio: ['ignore', log, log],
    })
    this.#patroni = endWithThisProcess(child)
    closeSync(log)
  }

  /** Starts Patroni if it is not running, and resumes all stopped processes. */
  goOn(): void {
    this.signalPostgres('SIGCONT')
    if (!this.signalPatroni('SIGCONT')) this.start()
  }

  /** Returns whether Patroni reports that it leads, and PostgreSQL has been promoted. */
  async leads(): Promise<boolean> {
    if ((await answers(this.#parts.rest, '/primary'))?.status !== 200) return false
    const [row] = await this.query('select pg_is_in_recovery() as yes').catch(() => [])
    return row?.['yes'] === false
  }

  /** Returns undefined if Patroni does not answer, or its PostgreSQL is not running. */
  async status(): Promise<Status | undefined> {
    const answered = await answers(this.#parts.rest, '/patroni')
    if (answered?.status !== 200) return undefined
    const { timeline, failsafe_mode_is_active: failsafe } = JSON.parse(answered.body)
    return { timeline, failsafe: failsafe === true }
  }

  /** Returns the names of the members that Patroni knows as synchronous standbys. */
  async synchronous(): Promise<readonly string[]> {
    const answered = await answers(this.#parts.rest, '/cluster')
    if (answered?.status !== 200) return []
    const { members } = JSON.parse(answered.body) as { members: { name: string; role: string }[] }
    return members.flatMap(({ name, role }) => (role === 'sync_standby' ? [name] : []))
  }

  /** Returns the last lines of Patroni's log, without those of PostgreSQL. */
  lastWords(): string {
    if (!this.#patroni) return ''
    const said = readFileSync(join(this.#parts.directory, 'patroni.log'), 'utf8').split('\n')
    return said
      .filter((line) => / (INFO|WARNING|ERROR|CRITICAL): /.test(line))
      .slice(-LAST_LINES)
      .join('\n')
  }

  /** Runs a statement on its PostgreSQL directly, as the superuser. */
  query(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const server = {
      ...{ host: '127.0.0.1', port: this.port, database },
      ...{ user: 'postgres', password: this.#parts.password, connectionTimeoutMillis: CONNECT_WITHIN_MS },
    }
    return queryAlone(server, statement)
  }

  /** Returns whether its PostgreSQL answers but refuses writes, because it follows another or is stopping. */
  async hasSteppedBack(): Promise<boolean> {
    try {
      const [row] = await this.query('select pg_is_in_recovery() as yes')
      return row?.['yes'] === true
    } catch (error) {
      return error instanceof pg.DatabaseError && error.code === CANNOT_CONNECT_NOW
    }
  }

  /** Kills only Patroni, with SIGKILL. Returns whether it was running. */
  async killPatroni(): Promise<boolean> {
    const patroni = this.#patroni
    if (!patroni || patroni.exitCode !== null || patroni.signalCode !== null) return false
    const ended = once(patroni, 'exit')
    patroni.kill('SIGKILL')
    await ended
    return true
  }

  /** Sends a signal to Patroni alone. Returns whether it was running. */
  signalPatroni(signal: NodeJS.Signals): boolean {
    return this.#patroni?.kill(signal) ?? false
  }

  /**
   * Signals all processes of PostgreSQL. The main one is first, so that it does not start others. Returns their ids.
   */
  signalPostgres(signal: NodeJS.Signals): readonly number[] {
    const postmaster = this.#postmaster()
    if (postmaster === undefined || !kill(postmaster, signal)) return []
    const others = processes().flatMap(({ pid, parent }) => (parent === postmaster ? [pid] : []))
    return [postmaster, ...others.filter((pid) => kill(pid, signal))]
  }

  /** Kills all processes of PostgreSQL with SIGKILL. Returns how many. */
  killPostgres(): number {
    const stopped = this.signalPostgres('SIGSTOP')
    for (const pid of stopped) kill(pid, 'SIGKILL')
    return stopped.length
  }

  /** Stops everything, regardless of its state, and leaves no shared memory behind. */
  async end(): Promise<void> {
    await this.killPatroni()
    this.endPostgres()
    await eventually(`PostgreSQL of ${this.name} ends`, () => this.#postmaster() === undefined)
  }

  /** Makes PostgreSQL exit by itself at once. For callers that can no longer wait. */
  endPostgres(): void {
    const postmaster = this.#postmaster()
    if (postmaster === undefined) return
    this.signalPostgres('SIGCONT')
    kill(postmaster, 'SIGQUIT')
  }

  /** Returns the id of PostgreSQL's main process, if it runs. */
  #postmaster(): number | undefined {
    const file = join(this.#parts.directory, 'data/postmaster.pid')
    try {
      const written = Number(readFileSync(file, 'utf8').split('\n')[0])
      return processes().find(({ pid, name }) => pid === written && name === 'postgres')?.pid
    } catch {
      return undefined
    }
  }
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

/** Returns all processes except zombies. */
function processes(): readonly Process[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' })
  return table.split('\n').flatMap((line) => {
    const [pid, parent, state, name] = line.trim().split(/\s+/)
    if (name === undefined || state?.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), name }]
  })
}

/** Sends a signal to a process. Returns whether it existed. */
function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
