import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase } from '../../test/support/databases.ts'
import { type Database, inTransaction, isUniqueViolation } from './index.ts'

const account = (id: string) => ({
  id,
  username: `user-${id}`,
  email: 'a@example.com',
  name: 'Anna',
  password_hash: null,
  disabled_at: null,
  created_at: Date.UTC(2026, 0, 27),
})

eachDatabase((kind, open, fresh) => {
  const insert = (database: Database, id: string) =>
    database.query.insertInto('account').values(account(id)).execute()
  const find = (database: Database, id: string) =>
    database.query.selectFrom('account').selectAll().where('id', '=', id).execute()

  test('returns a row unchanged: plain object, number, null, text', async () => {
    const database = await open()
    await insert(database, 'round-trip')
    const [row] = await find(database, 'round-trip')
    assert.deepEqual({ ...row, ...account('round-trip') }, row)
  })

  test('returns bytes as a Buffer with the same bytes', async () => {
    const database = await open()
    const sealed = Uint8Array.from({ length: 256 }, (_, index) => index)
    await database.query.insertInto('root_key').values({ id: 1, sealed, created_at: 1 }).execute()
    const row = await database.query.selectFrom('root_key').select('sealed').executeTakeFirstOrThrow()
    assert.deepEqual(row, { sealed: Buffer.from(sealed) })
    const found = await database.query
      .selectFrom('root_key')
      .select('id')
      .where('sealed', '=', sealed)
      .execute()
    assert.deepEqual(found, [{ id: 1 }])
  })

  test('counts changed rows and returns the columns that `returning` names', async () => {
    const database = await open()
    await insert(database, 'counted-1')
    await insert(database, 'counted-2')
    const update = database.query
      .updateTable('account')
      .set({ name: 'Berta' })
      .where('id', 'like', 'counted-%')
    assert.equal((await update.executeTakeFirstOrThrow()).numUpdatedRows, 2n)
    const deleted = await database.query
      .deleteFrom('account')
      .where('id', '=', 'counted-1')
      .returning('name')
      .execute()
    assert.deepEqual(deleted, [{ name: 'Berta' }])
    const count = await database.query
      .selectFrom('account')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('id', 'like', 'counted-%')
      .executeTakeFirstOrThrow()
    assert.deepEqual(count, { n: 1 })
  })

  test('refuses an unsafe integer instead of rounding it', async () => {
    const database = await open()
    await insert(database, 'huge')
    await sql`update account set created_at = 9007199254740993 where id = 'huge'`.execute(database.query)
    await assert.rejects(find(database, 'huge'), RangeError)
  })

  for (const [what, name] of [
    ['U+0000', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ] as const) {
    test(`refuses text with ${what} before it reaches the database`, async () => {
      const database = await open()
      const values = { ...account('unstorable'), name }
      await assert.rejects(database.query.insertInto('account').values(values).execute(), {
        name: 'TypeError',
        message: 'A string with U+0000 or a lone surrogate cannot be stored.',
      })
    })
  }

  test('refuses a value of a different type than the column has', async () => {
    const database = await open()
    await assert.rejects(
      sql`insert into package (name, snap_id) values ('typed', null)`.execute(database.query),
      /null/i,
    )
    await assert.rejects(
      sql`insert into root_key (id, sealed, created_at) values (7, ${Buffer.of(1)}, 'yesterday')`.execute(
        database.query,
      ),
    )
  })

  test('refuses a row that refers to an unknown account', async () => {
    const database = await open()
    const row = { issuer: 'https://id.example', subject: 's', account_id: 'unknown', created_at: 1 }
    await assert.rejects(database.query.insertInto('external_identity').values(row).execute(), /foreign key/i)
  })

  test('isUniqueViolation recognises primary keys and unique columns, and which of them was violated', async () => {
    const database = await open()
    await insert(database, 'twice')
    const samePrimaryKey = await insert(database, 'twice').catch((error: unknown) => error)
    const sameUsername = await database.query
      .insertInto('account')
      .values({ ...account('other'), username: 'user-twice' })
      .execute()
      .catch((error: unknown) => error)
    // SQLite names only one of the violated keys, so give the first row another username.
    await database.query
      .updateTable('account')
      .set({ username: 'renamed' })
      .where('id', '=', 'twice')
      .execute()
    const onlyPrimaryKey = await insert(database, 'twice').catch((error: unknown) => error)
    assert.ok(isUniqueViolation(samePrimaryKey))
    assert.ok(isUniqueViolation(onlyPrimaryKey, 'account.id'))
    assert.ok(!isUniqueViolation(onlyPrimaryKey, 'account.username'))
    assert.ok(isUniqueViolation(sameUsername, 'account.username'))
    assert.ok(!isUniqueViolation(sameUsername, 'account.id'))
  })

  if (kind === 'postgres') {
    test('isUniqueViolation recognises them under the name of a partition and of a shard', async () => {
      const { query } = await open()
      for (const statement of [
        'create table parted (place text, constraint parted_place_key unique (place)) partition by hash (place)',
        'create table parted_0 partition of parted for values with (modulus 1, remainder 0)',
        // Citus names the tables and constraints on its workers like this.
        'create table account_102009 (username text constraint account_username_key_102009 unique)',
      ]) {
        await sql.raw(statement).execute(query)
      }
      for (const [table, column] of [
        ['parted', 'parted.place'],
        ['account_102009', 'account.username'],
      ] as const) {
        const twice = sql`insert into ${sql.table(table)} values ('x'), ('x')`.execute(query)
        const error = await twice.catch((cause: unknown) => cause)
        assert.ok(isUniqueViolation(error, column))
        assert.ok(!isUniqueViolation(error, 'account.id'))
        assert.ok(!isUniqueViolation(error, 'part.place'))
      }
    })
  }

  test('isUniqueViolation recognises a key of two columns, and nothing else', async () => {
    const database = await open()
    await insert(database, 'identified')
    const row = { issuer: 'https://id.example', subject: 's', account_id: 'identified', created_at: 1 }
    const identity = () => database.query.insertInto('external_identity').values(row).execute()
    await identity()
    const error = await identity().catch((cause: unknown) => cause)
    assert.ok(isUniqueViolation(error, 'external_identity.issuer_subject'))
    for (const other of [
      undefined,
      null,
      new Error('no'),
      { code: '23505' },
      Object.assign(new Error(), { errcode: 787 }),
    ]) {
      assert.ok(!isUniqueViolation(other))
    }
  })

  test('a database error does not quote values of the row', async () => {
    const database = await open()
    const secret = 'scrypt-hash-of-a-password'
    const values = { ...account('quoted'), password_hash: secret }
    await database.query.insertInto('account').values(values).execute()
    const errors = await Promise.all([
      database.query
        .insertInto('account')
        .values(values)
        .execute()
        .catch((error: unknown) => error),
      // A missing value makes PostgreSQL quote the whole row.
      sql`insert into account (id, username, password_hash) values ('q2', 'q2', ${secret})`
        .execute(database.query)
        .catch((error: unknown) => error),
    ])
    for (const error of errors) {
      assert.ok(error instanceof Error)
      assert.doesNotMatch(
        JSON.stringify({ ...error, message: error.message, stack: error.stack }),
        /scrypt|user-quoted/,
      )
    }
  })

  test('a transaction that throws stores nothing', async () => {
    const database = await open()
    const boom = new Error('boom')
    const work = inTransaction(database.query, async (transaction) => {
      await transaction.insertInto('account').values(account('undone')).execute()
      throw boom
    })
    await assert.rejects(work, boom)
    assert.deepEqual(await find(database, 'undone'), [])
  })

  test('others do not see a transaction before it is committed', async () => {
    const [database, other] = [await open(), await open()]
    await inTransaction(database.query, async (transaction) => {
      await transaction.insertInto('account').values(account('isolated')).execute()
      assert.deepEqual(await find(other, 'isolated'), [])
    })
    assert.equal((await find(other, 'isolated')).length, 1)
  })

  test('does not commit half of a transaction in which an error was caught', async () => {
    const database = await open()
    await insert(database, 'first')
    const work = inTransaction(database.query, async (transaction) => {
      await transaction.insertInto('account').values(account('half')).execute()
      await transaction
        .insertInto('account')
        .values(account('first'))
        .execute()
        .catch(() => {})
    })
    await assert.rejects(work, { name: 'AbortedTransactionError' })
    assert.deepEqual(await find(database, 'half'), [])
  })

  test('50 concurrent transactions of 5 clients lose no update', async () => {
    const clients = await Promise.all(Array.from({ length: 5 }, open))
    await insert(clients[0] as Database, 'counter')
    await sql`update account set created_at = 0 where id = 'counter'`.execute((clients[0] as Database).query)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        inTransaction((clients[index % 5] as Database).query, (transaction) =>
          transaction
            .updateTable('account')
            .set((eb) => ({ created_at: eb('created_at', '+', 1) }))
            .where('id', '=', 'counter')
            .execute(),
        ),
      ),
    )
    const [row] = await find(clients[0] as Database, 'counter')
    assert.equal(row?.created_at, 50)
  })

  if (kind === 'sqlite') {
    test('the file is readable only by its owner, survives a power cut, and is in WAL mode', async () => {
      const database = await open()
      await insert(database, 'on-disk')
      const target = await fresh.target()
      assert.ok(target.kind === 'sqlite')
      for (const suffix of ['', '-wal', '-shm']) {
        assert.equal((await stat(target.file + suffix)).mode & 0o777, 0o600, suffix)
      }
      const pragmas = await Promise.all(
        ['journal_mode', 'synchronous', 'foreign_keys'].map((name) =>
          sql.raw(`pragma ${name}`).execute(database.query),
        ),
      )
      assert.deepEqual(
        pragmas.flatMap(({ rows }) => rows),
        [{ journal_mode: 'wal' }, { synchronous: 2 }, { foreign_keys: 1 }],
      )
    })
  }
})
