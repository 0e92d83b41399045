/** The service, `migrate` and `config check` refuse an unsuitable PostgreSQL database, and print the remedy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import { type Owned, onOwnDatabase } from '../support/own-database.ts'
import { testProgram } from '../support/program.ts'

interface Case {
  readonly what: string
  /** The options that follow `create database NAME`. */
  readonly database?: string
  /** Whether its owner migrates it first. Default: true. */
  readonly migrated?: boolean
  /** Returns statements that a superuser runs in the database. */
  readonly when: (names: Pick<Owned, 'role' | 'database'>) => readonly string[]
  /** Returns a part of the message; undefined if the database is suitable. */
  readonly says?: (names: Pick<Owned, 'role' | 'database'>) => string
  readonly code?: number
}

const CASES: readonly Case[] = [
  {
    what: 'LATIN1',
    database: "encoding 'LATIN1' locale 'C' template template0",
    migrated: false,
    when: () => [],
    says: ({ database }) =>
      `The database "${database}" has the encoding LATIN1, which cannot store all Unicode text. Create another with \`createdb NAME --encoding=UTF8 --template=template0\`, and move what is in this one with \`ratafia backup\` and \`ratafia restore\`.`,
  },
  {
    what: 'SQL_ASCII',
    database: "encoding 'SQL_ASCII' locale 'C' template template0",
    migrated: false,
    when: () => [],
    says: ({ database }) =>
      `The database "${database}" has the encoding SQL_ASCII, which cannot store all Unicode text.`,
  },
  {
    what: 'a search path without a schema',
    when: ({ database }) => [`alter database ${database} set search_path = missing`],
    says: ({ role, database }) =>
      `search_path does not name an existing schema that the role "${role}" can use. Run \`alter role "${role}" in database "${database}" set search_path = "public"\``,
  },
  {
    what: 'a schema that the role cannot use',
    when: ({ role }) => [
      `alter schema public owner to postgres`,
      `revoke all on schema public from public, ${role}`,
    ],
    says: ({ role }) => `or \`grant usage on schema SCHEMA to "${role}"\`.`,
  },
  {
    what: 'another table `account` earlier in the search path',
    when: ({ role, database }) => [
      'create schema other',
      'create table other.account (id text)',
      `grant usage on schema other to ${role}`,
      `alter database ${database} set search_path = other, public`,
    ],
    says: ({ role, database }) =>
      `The table account in the schema "other" hides Ratafia's table in "public", because "other" comes first in search_path. Run \`alter role "${role}" in database "${database}" set search_path = "public"\`.`,
  },
  {
    what: "another program's table `account` in the same schema",
    migrated: false,
    when: () => ['create table account (id text)'],
    says: () =>
      'The schema "public" already has a table account that is not Ratafia\'s. Give Ratafia its own database.',
  },
  {
    what: 'a role that cannot create tables',
    migrated: false,
    when: ({ database }) => [`alter database ${database} owner to postgres`],
    says: ({ role, database }) =>
      `The role "${role}" cannot create tables in the schema "public". As an administrator, run \`alter database "${database}" owner to "${role}"\`, or`,
  },
  {
    what: 'a role that cannot use a table',
    when: ({ role }) => ['alter table account owner to postgres', `revoke all on account from ${role}`],
    says: ({ role }) =>
      `The role "${role}" cannot read and write the table account. As "postgres", run \`grant select, insert, update, delete on all tables in schema "public" to "${role}"\`.`,
  },
  {
    what: 'an older schema whose tables belong to another role',
    when: ({ role }) => [
      "update schema_migration set name = '0000-older' where name = '0001-schema'",
      'alter table account owner to postgres',
      `grant all on account to ${role}`,
    ],
    says: ({ role }) =>
      `The role "${role}" cannot migrate the table account, which belongs to "postgres". Run \`ratafia migrate\` as "postgres", or`,
  },
  {
    what: 'a read-only database',
    when: ({ database }) => [`alter database ${database} set default_transaction_read_only = on`],
    says: () =>
      'the server accepts no writes: it is a standby, or set to read-only. Name the primary in RATAFIA_DATABASE_URL, or all hosts.',
    code: 3,
  },
  {
    what: 'a schema whose name needs quotes',
    migrated: false,
    when: ({ role, database }) => [
      `create schema "my-store" authorization ${role}`,
      `alter database ${database} set search_path = "my-store"`,
    ],
  },
  {
    what: 'a collation of a language',
    database: "encoding 'UTF8' locale_provider icu icu_locale 'de-AT' locale 'C' template template0",
    migrated: false,
    when: () => [],
  },
  {
    what: 'other settings of time, text and isolation',
    when: ({ database }) =>
      [
        ...["timezone = 'Pacific/Apia'", "datestyle = 'SQL, DMY'", "intervalstyle = 'sql_standard'"],
        ...["bytea_output = 'escape'", 'extra_float_digits = 0', 'standard_conforming_strings = off'],
        ...[
          "default_transaction_isolation = 'serializable'",
          "client_encoding = 'LATIN1'",
          'array_nulls = off',
        ],
        ...["lc_messages = 'C'"],
      ].map((setting) => `alter database ${database} set ${setting}`),
  },
  {
    what: 'a schema of its own',
    migrated: false,
    when: ({ role }) => [`create schema ${role} authorization ${role}`],
  },
]

const ACCOUNT = 'accounts add zoe --email z@example.org --name Zoë --no-password'

eachDatabase((kind, _open, fresh) => {
  if (kind === 'sqlite') return
  const program = testProgram(fresh)

  for (const { what, database = '', migrated = true, when, says, code = 4 } of CASES) {
    test(`${what}: ${says ? 'refused, with the remedy' : 'accepted'}`, async () => {
      await onOwnDatabase(fresh, { owned: true, options: database }, async ({ url, ...names }) => {
        const environment = { RATAFIA_DATABASE_URL: url.href }
        if (migrated) assert.equal((await program.run('migrate', { environment })).code, 0)
        for (const statement of when(names)) await asSuperuser(statement, `/${names.database}`)
        const ways = says
          ? ['migrate', 'serve', 'config check --connect', 'accounts list']
          : ['migrate', ACCOUNT, 'accounts list', 'verify', 'config check --connect']
        for (const words of ways) {
          const finished = await program.run(words, { environment })
          assert.ok(finished.stderr.includes(says?.(names) ?? ''), `${words}: ${finished.stderr}`)
          assert.equal(finished.code, says ? code : 0, `${words}: ${finished.stderr}`)
        }
      })
    })
  }

  test('`config check --connect` warns of server settings that let a crash lose data', async () => {
    assert.equal((await program.run('migrate')).code, 0)
    const { code, stderr } = await program.run('config check --connect')
    assert.equal(code, 0)
    assert.match(stderr, /warning: fsync is off in PostgreSQL/)
    assert.match(stderr, /warning: synchronous_commit is off/)
  })
})
