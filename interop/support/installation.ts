/** An installation of the service on either database, and the commands of its operator. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { asSuperuser } from '../../packages/server/test/support/databases.ts'
import { freePort } from '../../tools/test/free-port.ts'
import { ratafiaCommand } from '../../tools/test/programs.ts'
import { cleanEnvironment } from './paths.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** If set, tests run on PostgreSQL only, with device tables in this many partitions. */
const PARTITIONS = process.env['RATAFIA_TEST_PARTITIONS']

export const DATABASES: readonly DatabaseKind[] = PARTITIONS ? ['postgres'] : ['sqlite', 'postgres']

export interface Installation {
  /** The service's settings, which an operator sets as environment variables. */
  readonly environment: Record<string, string>
  /** A new directory, which is removed with the installation. */
  readonly directory: string
  /** Runs `ratafia WORDS`, and returns its output. Throws an `Error` with its message if it fails. */
  ratafia(words: readonly string[], input?: string): Promise<string>
  remove(): Promise<void>
}

/** Creates an empty installation: a data directory and, for `postgres`, a database on the run's server. */
export async function newInstallation(kind: DatabaseKind): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-interop-'))
  const environment: Record<string, string> = {
    RATAFIA_DATA_DIR: join(directory, 'data'),
    // A restarted service listens on the same port.
    RATAFIA_PORT: String(await freePort()),
    RATAFIA_WORKERS: '1',
  }
  const removeDatabase = kind === 'postgres' ? await addDatabase(environment) : async () => {}
  if (PARTITIONS) await ratafia(environment, ['migrate', '--partitions', PARTITIONS], '')
  return {
    environment,
    directory,
    ratafia: (words, input = '') => ratafia(environment, words, input),
    remove: async () => {
      await removeDatabase()
      await rm(directory, { recursive: true })
    },
  }
}

async function addDatabase(environment: Record<string, string>): Promise<() => Promise<void>> {
  const name = `interop_${randomBytes(8).toString('hex')}`
  await asSuperuser(`create database ${name}`)
  const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
  url.pathname = `/${name}`
  environment['RATAFIA_DATABASE_URL'] = url.href
  environment['RATAFIA_SECRET_KEY'] = randomBytes(32).toString('base64')
  return () => asSuperuser(`drop database ${name} with (force)`)
}

async function ratafia(
  environment: Record<string, string>,
  words: readonly string[],
  input: string,
): Promise<string> {
  const [file, ...first] = ratafiaCommand()
  const child = spawn(file, [...first, ...words], {
    env: cleanEnvironment(environment),
    stdio: 'pipe',
  })
  child.stdin.end(input)
  const ended = once(child, 'exit')
  const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`ratafia ${words.join(' ')} exited ${code}: ${complaint}`)
  return out
}
