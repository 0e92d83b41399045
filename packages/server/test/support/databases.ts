/**
 * Runs a suite on every supported database, each time on a fresh one: a SQLite file, and a database on the PostgreSQL
 * server that `tools/test/postgres.ts` started. Nothing is skipped; without that server the suite fails.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite } from 'node:test'
import pg from 'pg'
import {
  type Database,
  type DatabaseKind,
  type DatabaseTarget,
  migrate,
  openDatabase,
} from '../../src/database/index.ts'

type Open = () => Promise<Database>

/** For tests about the database itself. */
export interface Fresh {
  /** Its location, for tests that start their own process. */
  target(): Promise<DatabaseTarget>
  /** Opens it without tables. */
  openEmpty: Open
}

type Declare = (kind: DatabaseKind, open: Open, fresh: Fresh) => void

/**
 * Declares `declare`'s tests once for each database, in a suite of its own. `open` gives the suite's database,
 * migrated, and closes it after the suite; each call is another client of the same database, as another node would be.
 */
export function eachDatabase(declare: Declare): void {
  onDatabase('sqlite', declare)
  onDatabase('postgres', declare)
}

/** The same once, on SQLite: for tests of what does not depend on the database. */
export function oneDatabase(declare: Declare): void {
  onDatabase('sqlite', declare)
}

function onDatabase(kind: DatabaseKind, declare: Declare): void {
  suite(kind, () => {
    let made: Promise<Made> | undefined
    const opened: Database[] = []
    const make = () => {
      made ??= kind === 'sqlite' ? makeSqlite() : makePostgres()
      return made
    }
    const openEmpty = async () => {
      const database = await openDatabase((await make()).target)
      opened.push(database)
      return database
    }
    const open = async () => {
      const database = await openEmpty()
      await migrate(database)
      return database
    }
    after(async () => {
      await Promise.all(opened.map((database) => database.close()))
      await (await made)?.remove()
    })
    declare(kind, open, { openEmpty, target: async () => (await make()).target })
  })
}

interface Made {
  readonly target: DatabaseTarget
  remove(): Promise<void>
}

async function makeSqlite(): Promise<Made> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-test-'))
  return {
    target: { kind: 'sqlite', file: join(directory, 'ratafia.db') },
    remove: () => rm(directory, { recursive: true }),
  }
}

async function makePostgres(): Promise<Made> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // A fifth of the work of copying it through the log.
  await asSuperuser(`create database ${name} strategy 'file_copy'`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return {
    target: { kind: 'postgres', url: url.href },
    remove: () => asSuperuser(`drop database ${name} with (force)`),
  }
}

/** Runs a statement in the server's own database, or in the one that `path` names. */
export async function asSuperuser(statement: string, path?: string): Promise<void> {
  const url = new URL(serverUrl())
  if (path !== undefined) url.pathname = path
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = process.env['RATAFIA_TEST_POSTGRES_URL']
  if (url === undefined) {
    throw new Error(
      'RATAFIA_TEST_POSTGRES_URL is not set: run the tests with `npm test` or `npm run test:file -- PATH`.',
    )
  }
  return url
}
