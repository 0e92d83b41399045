/** An installation to break: its database, its nodes, and the proxies between them. */

import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { freePort } from '../../tools/test/free-port.ts'
import { BASE_URL, type Scene } from '../load/scene.ts'
import { type Command, commandOf, type Installation } from './command.ts'
import { Issuer } from './issuer.ts'
import { Node } from './node.ts'
import { Postgres } from './postgres.ts'
import { TcpProxy } from './proxy.ts'
import { nextRelease, type Release } from './release.ts'
import { setUp } from './set-up.ts'
import type { Statement } from './tables.ts'

export interface Layout {
  /** `pair`: a primary with a synchronous standby. */
  readonly database: 'sqlite' | 'postgres' | 'pair'
  /** Whether the standby is asynchronous instead of synchronous, for a planted bug. */
  readonly asynchronous?: boolean
  /** The number of partitions of the device tables on PostgreSQL. Default: they are not partitioned. */
  readonly partitions?: number
  readonly nodes: number
  /** The number of workers of each node. */
  readonly workers: number
  /** Whether to build a release to upgrade to. */
  readonly upgrades?: true
}

export interface World {
  readonly nodes: readonly Node[]
  /** Proxies from each node to the database; with `pair`, one to each server, for all nodes. Empty with SQLite. */
  readonly proxies: readonly TcpProxy[]
  /** The server that accepts writes, and the one that can take over. */
  readonly servers: { primary?: Postgres; standby?: Postgres }
  /** Whether the standby is synchronous. */
  readonly synchronous: boolean
  readonly disk: Disk | undefined
  /** The issuer of ID tokens. */
  readonly issuer: Issuer
  /** The release after the one that nodes start with; undefined if nothing is upgraded. */
  readonly next: Release | undefined
  /** The operator's installation. */
  installation: Installation
  readonly ratafia: Command
  /** Secret keys other than the first, for commands. */
  secrets: Readonly<Record<string, string>>
  readonly kind: 'sqlite' | 'postgres'
  /** Findings of the strikes, for the checker. */
  readonly found: {
    readonly imported: string[]
    readonly sealed: string[]
    readonly restored: string[]
  }
  /** Returns the path of a new directory or file inside the run's directory. */
  directory(name: string): string
  /** Runs a statement on the service's database, bypassing the service. */
  readonly statement: Statement
  /** Runs a statement in a transaction that stays open until the result is called. PostgreSQL only. */
  hold?(text: string): Promise<() => Promise<void>>
  /** Creates another database, without tables. */
  another?(): Promise<Pick<World, 'ratafia' | 'statement'>>
  end(): Promise<void>
}

interface Making {
  readonly scene: Scene
  readonly layout: Layout
  /** An empty directory. Each attempt creates its own directory in it. */
  readonly directory: string
  /** Returns the run's server, for layouts that need a single one. */
  readonly postgres: () => Promise<Postgres>
  readonly release: Release
}

/**
 * How many databases are tried for one world. If other processes keep this one waiting inside a transaction, PostgreSQL
 * ends the transaction, or a commit is not confirmed in time.
 */
const MOST_SET_UPS = 5

/** Thrown when a database could not be set up. */
class NotSetUp extends Error {
  override readonly name = 'NotSetUp'
}

/** Sets up a database. If that fails, calls `onAgain` and tries a new one. Throws the last attempt's error. */
export async function makeWorld(making: Making, onAgain: (why: string) => void): Promise<World> {
  for (let set = 1; ; set++) {
    const directory = join(making.directory, `world-${set}`)
    // PostgreSQL may run as another user.
    mkdirSync(directory, { mode: 0o755 })
    try {
      return await tryToMakeWorld({ ...making, directory })
    } catch (error) {
      if (!(error instanceof NotSetUp)) throw error
      if (set === MOST_SET_UPS) throw error.cause
      onAgain(`database ${set} could not be set up, trying a new one: ${error.message}`)
    }
  }
}

async function tryToMakeWorld({ scene, layout, directory, postgres, release }: Making): Promise<World> {
  const ends: (() => Promise<unknown> | unknown)[] = []
  const newDirectory = (name: string) => join(directory, name)
  const end = async () => {
    for (let next = ends.pop(); next; next = ends.pop()) await next()
  }
  const data = newDirectory('data')
  mkdirSync(data, { mode: 0o700 })
  const servers: World['servers'] = {}
  const synchronous = !layout.asynchronous
  const name = `faults_${randomBytes(6).toString('hex')}`
  if (layout.database === 'postgres') servers.primary = await postgres()
  if (layout.database === 'pair') {
    servers.primary = await Postgres.start(newDirectory('first'))
    servers.standby = await servers.primary.addStandby(newDirectory('second'), { synchronous })
    ends.push(() => Promise.all([servers.primary?.stop(), servers.standby?.stop()]))
  }
  const disk = layout.database === 'sqlite' ? diskAt(data) : undefined
  ends.push(() => disk?.remove())
  const { primary } = servers
  await primary?.query(`create database ${name}`)
  const { standby } = servers
  const ahead = standby ? [primary, standby] : Array.from({ length: layout.nodes }, () => primary)
  const proxies = await Promise.all(ahead.flatMap((server) => (server ? TcpProxy.start(server.port) : [])))
  const issuer = await Issuer.start()
  ends.push(() => Promise.all([issuer, ...proxies].map((each) => each.close())))

  const environment = {
    RATAFIA_DATA_DIR: data,
    RATAFIA_BASE_URL: BASE_URL,
    RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
    RATAFIA_LOG_LEVEL: 'warn',
    RATAFIA_WORKERS: String(layout.workers),
  }
  // The operator connects directly. With two servers, all look for the one that accepts writes.
  const both = `${proxies[0]?.port},127.0.0.1:${proxies[1]?.port}`
  const withDatabase = (port?: number): Record<string, string> => {
    if (!primary) return environment
    const url = standby
      ? `${primary.url(name, both)}?target_session_attrs=read-write`
      : primary.url(name, port)
    return { ...environment, RATAFIA_DATABASE_URL: url }
  }
  const withEnvironment = (its: Readonly<Record<string, string>>): Command =>
    commandOf({ ...world.installation, environment: { ...its, ...world.secrets } })
  const world: World = {
    ...{ proxies, servers, synchronous, disk, issuer, end },
    next: layout.upgrades && (await nextRelease(newDirectory('next'))),
    installation: { ...release, environment: withDatabase() },
    nodes: await Promise.all(
      Array.from({ length: layout.nodes }, async (_, at) => {
        const installation = { ...release, environment: withDatabase(proxies[at]?.port) }
        return new Node(`node ${at + 1}`, await freePort(), installation)
      }),
    ),
    ratafia: (words, options) => withEnvironment(withDatabase())(words, options),
    secrets: {},
    kind: primary ? 'postgres' : 'sqlite',
    found: { imported: [], sealed: [], restored: [] },
    directory: newDirectory,
    statement: async (text) =>
      servers.primary ? servers.primary.query(text, name) : readFile(join(data, 'ratafia.db'), text),
    hold: async (text) => {
      const client = new pg.Client(servers.primary?.url(name))
      await client.connect()
      await client.query('begin')
      await client.query(text)
      return () => client.end()
    },
    another: async () => {
      const id = `faults_${randomBytes(6).toString('hex')}`
      const own = newDirectory(id)
      mkdirSync(own, { mode: 0o700 })
      await servers.primary?.query(`create database ${id}`)
      const url = servers.primary && { RATAFIA_DATABASE_URL: servers.primary.url(id) }
      return {
        ratafia: withEnvironment({ ...environment, ...url, RATAFIA_DATA_DIR: own }),
        statement: async (text) =>
          servers.primary ? servers.primary.query(text, id) : readFile(join(own, 'ratafia.db'), text),
      }
    },
  }
  ends.push(() => Promise.all(world.nodes.map((node) => node.stop())))
  try {
    if (layout.partitions !== undefined) await divide(world, layout.partitions)
    await setUp(scene, world.installation, issuer)
  } catch (error) {
    await end()
    throw new NotSetUp(error instanceof Error ? error.message : String(error), { cause: error })
  }
  return world
}

function readFile(file: string, text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(text).all()
  } finally {
    database.close()
  }
}

async function divide({ ratafia }: World, partitions: number): Promise<void> {
  const { code, stderr } = await ratafia(['migrate', '--partitions', String(partitions)])
  if (code !== 0) throw new Error(`the tables could not be partitioned: ${stderr}`)
}

/** A disk that can be filled, for SQLite's data directory. */
interface Disk {
  /** How it is filled, for the report. */
  readonly how: string
  fill(pids: readonly number[]): void
  empty(pids: readonly number[]): void
  remove(): void
}

const SIZE_MB = 64

/**
 * Returns a separate file system, which a file fills to the last byte, if root can mount one. Otherwise
 * limits the size of the files that a process can write: its writes also fail, but with a different error.
 */
function diskAt(directory: string): Disk {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', directory])
  return mounted.status === 0 ? fileSystem(directory) : fileSizeLimit()
}

function fileSystem(directory: string): Disk {
  const unmount = () => spawnSync('umount', ['--lazy', directory])
  // Unmount before the directory is removed.
  process.prependOnceListener('exit', unmount)
  const ballast = join(directory, 'ballast')
  return {
    how: 'a file system without space',
    fill: () => {
      // Write until no byte is left.
      for (let size = SIZE_MB * 2 ** 20; size >= 512; size = Math.floor(size / 2)) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' })
        } catch {
          // A part was written.
        }
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove: unmount,
  }
}

function fileSizeLimit(): Disk {
  const limit = (pids: readonly number[], bytes: number | 'unlimited') => {
    for (const pid of pids) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  }
  return {
    how: 'a limit on the size of files (prlimit)',
    // Less than a page: the log and the database are already larger, so no write can succeed.
    fill: (pids) => limit(pids, 512),
    empty: (pids) => limit(pids, 'unlimited'),
    remove: () => {},
  }
}
