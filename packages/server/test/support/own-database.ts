/** PostgreSQL databases with a role of their own, for tests of what the server refuses. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { asSuperuser, type Fresh } from './databases.ts'

export interface Owned {
  readonly role: string
  readonly database: string
  /** The address with the role and its password. */
  readonly url: URL
}

export interface OwnDatabaseOptions {
  /** Whether the role owns the database. */
  readonly owned?: boolean
  /** The options that follow `create database NAME`. */
  readonly options?: string
}

/** Creates a role that can log in and a database, and drops both after the work. */
export async function onOwnDatabase(
  fresh: Pick<Fresh, 'emptyTarget'>,
  { owned = false, options = '' }: OwnDatabaseOptions,
  work: (one: Owned) => Promise<void>,
): Promise<void> {
  const name = `own_${randomBytes(6).toString('hex')}`
  const target = await fresh.emptyTarget()
  assert.ok(target.kind === 'postgres')
  const url = Object.assign(new URL(target.url), { username: name, password: 'right', pathname: `/${name}` })
  await asSuperuser(`create role ${name} login password 'right'`)
  await asSuperuser(`create database ${name} ${owned ? `owner ${name}` : ''} ${options}`)
  try {
    await work({ role: name, database: name, url })
  } finally {
    await asSuperuser(`drop database ${name} with (force)`)
    await asSuperuser(`drop role ${name}`)
  }
}
