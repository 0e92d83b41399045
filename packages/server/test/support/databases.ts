/**
 * Runs a suite on every supported database, each time on a fresh one: a SQLite file, and a database on the PostgreSQL
 * server that `tools/test/postgres.ts` started. Nothing is skipped; without that server the suite fails.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, suite, test } from 'node:test'
import pg from 'pg'
import {
  type Database,
  type DatabaseKind,
  type DatabaseTarget,
  migrate,
  openDatabase,
} from '../../src/database/index.ts'
import type { PostgresLimits } from '../../src/database/postgres/limits.ts'
import { eventually } from './eventually.ts'

type Open = () => Promise<Database>

const PATIENCE_MS = 60_000

/** Long limits, so that no test fails because the machine is slow. Tests of lost databases and locks set their own. */
export const PATIENT: Partial<PostgresLimits> = {
  connectMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  answerMs: 2 * PATIENCE_MS,
  confirmMs: PATIENCE_MS,
}

export const patient = (target: DatabaseTarget): DatabaseTarget =>
  target.kind === 'postgres'
    ? { ...target, limits: { ...PATIENT, ...target.limits } }
    : { patienceMs: PATIENCE_MS, ...target }

/** A fresh database for tests that open it themselves, or start a process that does. */
export interface Fresh {
  /** Creates the database with tables and without keys, and returns its location. */
  target(): Promise<DatabaseTarget>
  /** Returns the location of a database without tables. The SQLite file does not exist yet. */
  emptyTarget(): Promise<DatabaseTarget>
  /** Opens a database without tables. */
  openEmpty: Open
}

/** Returns the location of a database without tables, for a program that creates them. */
export const withoutTables = ({ emptyTarget }: Fresh): Pick<Fresh, 'target'> => ({ target: emptyTarget })

/**
 * With RATAFIA_TEST_PARTITIONS, the suites run only on PostgreSQL, and the tables of devices have this number of
 * partitions.
 */
const PARTITIONS = Number(process.env['RATAFIA_TEST_PARTITIONS'] ?? 0)

type Declare = (kind: DatabaseKind, open: Open, fresh: Fresh) => void

/**
 * Declares `declare`'s tests in a suite for each database. `open` opens the suite's migrated database, and closes it
 * after the suite. Each call is another client of the same database, like another node.
 */
export function eachDatabase(declare: Declare): void {
  if (PARTITIONS === 0) onDatabase('sqlite', declare)
  onDatabase('postgres', declare)
}

/** Declares tests only on SQLite, because they do not depend on the database. */
export function oneDatabase(declare: Declare): void {
  onDatabase('sqlite', declare)
}

type DeclareTests = (title: string, run: () => void | Promise<void>) => void

/** Returns functions for a suite of {@link eachDatabase} that declare, on one database only, its independent tests. */
export function onOne(kind: DatabaseKind): { testOnce: DeclareTests; describeOnce: DeclareTests } {
  return kind === 'sqlite'
    ? { testOnce: test, describeOnce: describe }
    : { testOnce: () => {}, describeOnce: () => {} }
}

function onDatabase(kind: DatabaseKind, declare: Declare): void {
  suite(kind, () => {
    let made: Promise<Made> | undefined
    const opened: Database[] = []
    const targetFrom = async (make: () => Promise<Made>) => {
      made ??= make()
      return (await made).target
    }
    const target = () =>
      targetFrom(kind === 'sqlite' ? () => makeSqlite(migratedFile) : () => makePostgres(migrated))
    const emptyTarget = () =>
      targetFrom(kind === 'sqlite' ? () => makeSqlite() : () => makePostgres(async () => 'template1'))
    const openAt = async (at: DatabaseTarget) => {
      const database = await openDatabase(patient(at))
      opened.push(database)
      return database
    }
    const openEmpty = async () => openAt(await emptyTarget())
    const open = async () => openAt(await target())
    after(async () => {
      await Promise.all(opened.map((database) => database.close()))
      await (await made)?.remove()
    })
    declare(kind, open, { openEmpty, target, emptyTarget })
  })
}

interface Made {
  readonly target: DatabaseTarget
  remove(): Promise<void>
}

async function makeSqlite(template?: () => Promise<string>): Promise<Made> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-test-'))
  const file = join(directory, 'ratafia.db')
  if (template) {
    await copyFile(await template(), file)
    // A program refuses an existing database without its secret key.
    await writeFile(join(directory, 'secret.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  }
  return { target: { kind: 'sqlite', file }, remove: () => rm(directory, { recursive: true }) }
}

let migratedFile = async (): Promise<string> => {
  const made = makeMigratedFile()
  migratedFile = () => made
  return made
}

/** Creates a SQLite file with all tables, once in each process. Copying it costs a tenth of creating the tables. */
async function makeMigratedFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-migrated-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'ratafia.db')
  const database = await openDatabase({ kind: 'sqlite', file })
  await migrate(database)
  await database.close()
  return file
}

async function makePostgres(template: () => Promise<string>): Promise<Made> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copying the files costs a fifth of copying through the log.
  await asSuperuser(`create database ${name} template ${await template()} strategy 'file_copy'`)
  return { target: postgresAt(name), remove: () => asSuperuser(`drop database ${name} with (force)`) }
}

const MIGRATED = PARTITIONS === 0 ? 'migrated' : `migrated_${PARTITIONS}`

let migrated = async (): Promise<string> => {
  const made = makeMigrated()
  migrated = () => made
  return made
}

/**
 * Creates a database with all tables, unless another process has, and returns its name. Copying it costs a third of
 * creating the tables.
 */
async function makeMigrated(): Promise<string> {
  await asSuperuser(async (client) => {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [MIGRATED])
    if (rowCount === 1) return
    const unfinished = `${MIGRATED}_${randomBytes(8).toString('hex')}`
    await client.query(`create database ${unfinished} strategy 'file_copy'`)
    const database = await openDatabase(postgresAt(unfinished))
    await migrate(database, { partitions: PARTITIONS })
    await database.close()
    await client.query(`alter database ${unfinished} rename to ${MIGRATED}`)
  })
  return MIGRATED
}

function postgresAt(name: string): DatabaseTarget {
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return { kind: 'postgres', url: url.href }
}

/** Runs statements in the server's own database, or in the one that `path` names. */
export async function asSuperuser(
  statement: string | ((client: pg.Client) => Promise<void>),
  path?: string,
): Promise<void> {
  const url = new URL(serverUrl())
  if (path !== undefined) url.pathname = path
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    if (typeof statement === 'string') await client.query(statement)
    else await statement(client)
  } finally {
    await client.end()
  }
}

/**
 * Waits until the server has closed all connections of this name. It finishes a statement even if its client is gone.
 */
export async function connectionsEnded(application: string): Promise<void> {
  await asSuperuser((client) =>
    eventually(`the connections of ${application} have ended`, async () => {
      const left = 'select from pg_stat_activity where application_name = $1'
      return (await client.query(left, [application])).rowCount === 0
    }).then(() => {}),
  )
}

function serverUrl(): string {
  const url = process.env['RATAFIA_TEST_POSTGRES_URL']
  if (url === undefined) {
    throw new Error(
      'RATAFIA_TEST_POSTGRES_URL is not set. Run the tests with `npm test` or `npm run test:file -- PATH`.',
    )
  }
  return url
}
