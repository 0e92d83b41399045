/**
 * A restore refuses a file as a whole: a file with invalid contents, a different schema or a different secret
 * key. Tests of what the database refuses, and of what is restored, run on both databases.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { deciding } from '../../test/support/authorities.ts'
import { TESTER } from '../../test/support/changes.ts'
import { eachDatabase, oneDatabase, onOne } from '../../test/support/databases.ts'
import { type Database, inTransaction, type Migration, migrate, migrations } from '../database/index.ts'
import { RequestError } from '../errors.ts'
import { ImportError } from '../files/import-rows.ts'
import { createRootKeyStore, newRootKey } from '../keyring/key-store.ts'
import { openKeyring } from '../keyring/keyring.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { createSealer, type Sealer } from '../keyring/sealing.ts'
import { recordingOn } from '../start/changing.ts'
import { backUp } from './back-up.ts'
import { type RestoreRequest, restore } from './restore.ts'
import { wholeDatabaseStore } from './whole-database-store.ts'

const secret = Buffer.alloc(32, 7)
const now = new Date('2027-01-31T09:30:00.000Z')
const clock = () => now

const more: Migration = {
  name: '0098-more',
  statements: ({ strict }) => [
    'alter table account add column nickname text',
    `create table more (id text not null constraint more_id_key primary key)${strict}`,
  ],
}
/** The migrations of a release after this one. */
const nextRelease = [...migrations, more]
const NAMES = migrations.map(({ name }) => name)

const wholeOf = (database: Database, ours = migrations) =>
  wholeDatabaseStore(
    database,
    (on) => ({
      ...recordingOn(on, clock, TESTER),
      sealed: sealedValueStore(on),
    }),
    ours,
  )

/** Returns all lines of a backup. */
async function backedUp(database: Database, sealer?: Sealer, ours = migrations): Promise<string[]> {
  let text = ''
  const write = async (parts: AsyncIterable<string>) => {
    for await (const part of parts) text += part
  }
  await backUp({ write }, { wholeDatabase: wholeOf(database, ours), sealer, release: '0.0.1', madeAt: now })
  return text.trimEnd().split('\n')
}

/** Returns the lines of a backup, without the last. */
const linesOf = async (database: Database) => (await backedUp(database)).slice(0, -1)

/** Returns a file of these lines with the correct last line, which anyone who writes a file can compute. */
function fileOf(lines: readonly string[], seal?: string): Buffer {
  const text = lines.map((line) => `${line}\n`).join('')
  const tables = lines.filter((line) => line.startsWith('{"table"')).length
  const rows = lines.length - tables - 1
  const sha256 = createHash('sha256').update(text).digest('hex')
  return gzipSync(`${text}${JSON.stringify({ end: true, tables, rows, sha256, seal })}\n`)
}

const into = (
  database: Database,
  file: Buffer,
  { replace = false, sealer = createSealer(secret), unsealed = true, ours = migrations } = {},
): ReturnType<typeof restore> => {
  const request: RestoreRequest = {
    open: async function* () {
      yield file
    },
    replace,
    unsealed,
    revokeSessionsSince: undefined,
  }
  const wholeDatabase = wholeOf(database, ours)
  return restore(request, { wholeDatabase, sealer, now, authority: deciding('tester') })
}

const account = (username: string) => ({
  id: `id-of-${username}`,
  username,
  email: '',
  name: 'é',
  password_hash: null,
  disabled_at: null,
  created_at: 1,
})

async function filled(database: Database): Promise<void> {
  await openKeyring({ database, secret, clock })
  await database.query.insertInto('account').values(account('ann')).execute()
  const agent = { name: 'bot', account_id: 'id-of-ann', public_key: Buffer.alloc(32), created_at: 1 }
  await database.query.insertInto('agent').values(agent).execute()
}

const usernames = async ({ query }: Database) =>
  (await query.selectFrom('account').select('username').execute()).map(({ username }) => username)

eachDatabase((source, open) => {
  const { testOnce } = onOne(source)
  let lines: string[]
  before(async () => {
    const database = await open()
    await filled(database)
    lines = await linesOf(database)
  })
  const changed = (from: string | RegExp, to: string) => {
    const other = lines.map((line) => line.replace(from, to))
    assert.notDeepEqual(other, lines)
    return other
  }

  /** Returns the index of a table's first row. */
  const rowOf = (table: string) => lines.findIndex((line) => line.startsWith(`{"table":"${table}"`)) + 1
  /** Returns the lines with other bytes in the last text of that row, which is the sealed one. */
  const damagedRow = (table: string) =>
    lines.map((line, at) =>
      at === rowOf(table) ? line.replace(/"([^"]{22})....([^"]*",\d+\])$/, '"$1AAAA$2') : line,
    )

  eachDatabase((kind, _none, { openEmpty }) => {
    type Hostile = readonly [what: string, file: () => readonly string[], says: RegExp]
    /** Files refused while they are read, on any database. */
    const READ: readonly Hostile[] = [
      [
        'of a newer release',
        () => changed(/("migrations":\[.*)\]/, '$1,"0099-more"]'),
        /^The file was made by a newer release \(0\.0\.1, with 0099-more\): restore it with that release/,
      ],
      ['without a schema', () => changed(/"migrations":\[.*\]/, '"migrations":[]'), /match any release/],
      [
        'from before the first release',
        () => changed(/"migrations":\[.*\]/, '"migrations":["0001-first","0002-brands"]'),
        /^The backup was made before the first release of Ratafia, and releases cannot restore it\. Start with a new /,
      ],
      ['with a foreign table', () => [...lines, '{"table":"pg_x","columns":[["oid","text"]]}'], /table pg_x/],
      [
        'with a table of the bookkeeping',
        () => [...lines, '{"table":"schema_lock","columns":[["id","integer"]]}'],
        /a table schema_lock, which is not in the schema/,
      ],
      ['with a foreign column', () => changed('["username",', '["user",'), /a column account\.user,/],
      [
        'with a column of a different kind',
        () => changed('["username","text"]', '["username","bytes"]'),
        /is no bytes|a column account\.username,/,
      ],
      [
        'with keys of another installation, and no seal check',
        () => damagedRow('root_key').filter((_, at) => at !== rowOf('seal_check')),
        /^The backup is sealed under a different secret key/,
      ],
    ]
    /** Files that the database refuses. */
    const STORED: readonly Hostile[] = [
      [
        'with tables in a different order',
        () => {
          const at = lines.findIndex((line) => line.startsWith('{"table":"agent"'))
          return [lines[0] ?? '', ...lines.slice(at, at + 2), ...lines.slice(1, at), ...lines.slice(at + 2)]
        },
        /^The file has a row of agent that the database refuses: /,
      ],
      [
        'with a row twice',
        () => lines.flatMap((line) => (line.startsWith('["id-of-ann"') ? [line, line] : [line])),
        /^The file has a row of account that the database refuses: /,
      ],
      ['without a required value', () => changed('"id-of-ann","ann"', '"id-of-ann",null'), /row of account/],
      // SQLite has integers of one size only.
      ...(kind === 'postgres'
        ? [
            [
              'with a number that is too large for its column',
              () => changed(/^\[1,"issuer"/, '[9007199254740991,"issuer"'),
              /a row of key_pair that/,
            ] as const,
          ]
        : []),
      ['with text that cannot be stored', () => changed('"é"', '"\\u0000"'), /a row of account that/],
      ['with half a character', () => changed('"é"', '"\\ud800"'), /a row of account that/],
    ]
    for (const [what, file, says] of kind === 'sqlite' ? [...READ, ...STORED] : STORED) {
      testOnce(`refuses a file ${what}, and leaves no row and no table`, async () => {
        const database = await openEmpty()
        await assert.rejects(into(database, fileOf(file())), (error: unknown) => {
          assert.ok(error instanceof ImportError || error instanceof RequestError, String(error))
          assert.match(error.message, says)
          assert.match(error.message, / Nothing was restored\.$/)
          return true
        })
        await wholeOf(database).read(async (snapshot) => {
          assert.deepEqual([snapshot.migrations, snapshot.tables], [[], []])
        })
      })
    }

    test('refuses a backup under a different secret key, and accepts it with that key as the previous one', async () => {
      const database = await openEmpty()
      const other = randomBytes(32)
      const file = fileOf(lines)
      await assert.rejects(
        into(database, file, { sealer: createSealer(other) }),
        /sealed under a different secret key/,
      )
      const sealer = createSealer({ current: other, previous: secret })
      const { rows, unreadable } = await into(database, file, { sealer })
      assert.deepEqual([rows, unreadable], [lines.filter((line) => line.startsWith('[')).length, []])
      assert.deepEqual(await usernames(database), ['ann'])
    })

    test('replaces a database only when asked to, and names a value that was damaged before', async () => {
      const database = await openEmpty()
      await database.query.insertInto('account').values(account('bob')).execute()
      await assert.rejects(into(database, fileOf(lines)), /is not empty: the table \w+ has rows/)
      assert.deepEqual((await usernames(database)).sort(), ['ann', 'bob'])
      const damaged = damagedRow('key_pair')
      const { unreadable } = await into(database, fileOf(damaged), { replace: true })
      assert.deepEqual(await usernames(database), ['ann'])
      assert.deepEqual(unreadable, ['issuer key pair 1'], damaged.join('\n'))
    })
  })
})

eachDatabase((kind, open) => {
  const { testOnce } = onOne(kind)
  suite('the seal of a backup', () => {
    let lines: string[]
    let seal: string
    before(async () => {
      const database = await open()
      await filled(database)
      lines = await backedUp(database, createSealer(secret))
      seal = JSON.parse(lines.pop() ?? '').seal
    })
    const sealed = { unsealed: false, replace: true }

    test('Guarantee: refuses a file that was changed, regardless of its checksum and its seal', async () => {
      const database = await open()
      const changed = lines.map((line) => line.replace('"ann"', '"eve"'))
      assert.notDeepEqual(changed, lines)
      const forged = createSealer(randomBytes(32)).seal('backup', Buffer.alloc(32)).toString('base64')
      for (const [file, says] of [
        [fileOf(changed, seal), /^The seal of the backup does not match: .* Nothing was restored\.$/],
        [fileOf(changed, forged), /^The seal of the backup does not match/],
        [fileOf(lines, `${seal}AAAA`), /is damaged, or not a backup|seal of the backup does not match/],
        [fileOf(lines, 'no seal'), /its seal is not base64/],
        [fileOf(changed), /^The backup has no seal: .* pass --unsealed\. Nothing was restored\.$/],
      ] as const) {
        await assert.rejects(into(database, file, sealed), { message: says })
      }
      // --unsealed allows a missing seal, not a wrong one.
      await assert.rejects(
        into(database, fileOf(changed, seal), { replace: true }),
        /seal of the backup does not match/,
      )
      assert.deepEqual(await usernames(database), ['ann'])
    })

    testOnce('of the previous secret key is accepted while that key is set', async () => {
      const sealer = createSealer({ current: randomBytes(32), previous: secret })
      const database = await open()
      await into(database, fileOf(lines, seal), { ...sealed, sealer })
      assert.deepEqual(await usernames(database), ['ann'])
    })

    testOnce('is not created with the secret key of another installation', async () => {
      const database = await open()
      await into(database, fileOf(lines, seal), sealed)
      await assert.rejects(backedUp(database, createSealer(randomBytes(32))), {
        message: /^The secret key is not this database's\. .* --unsealed/,
      })
      assert.equal(JSON.parse((await backedUp(database)).at(-1) ?? '').seal, undefined)
    })
  })
})

oneDatabase((_source, made) => {
  let lines: string[]
  before(async () => {
    const database = await made()
    await filled(database)
    lines = await linesOf(database)
    assert.deepEqual(JSON.parse(lines[0] ?? '').migrations, NAMES)
    const byNext = await backedUp(database, undefined, nextRelease)
    assert.deepEqual(byNext.slice(0, -1), lines, 'the next release backs up what this one made')
  })

  eachDatabase((_target, open, { openEmpty }) => {
    suite('a backup of an older release', () => {
      test('is brought up to date and works', async () => {
        const database = await openEmpty()
        const restored = await into(database, fileOf(lines), { ours: nextRelease })
        assert.equal(restored.rows, lines.filter((line) => line.startsWith('[')).length)
        assert.deepEqual(await migrate(database, { migrations: nextRelease }), [])
        assert.deepEqual(await usernames(database), ['ann'])
        const keyring = await openKeyring({ database, secret, clock })
        assert.equal((await keyring.list()).length, 3)
        const entries = await database.query.selectFrom('audit_entry').select('action').execute()
        assert.deepEqual(entries, [{ action: 'database.restore' }])
        const again = await backedUp(database, undefined, nextRelease)
        assert.deepEqual(JSON.parse(again[0] ?? '').migrations, [...NAMES, more.name])
        assert.ok(again.includes('{"table":"more","columns":[["id","text"]]}'))
        assert.ok(again.some((line) => line.startsWith('{"table":"account"') && line.includes('"nickname"')))
      })

      test('is refused by a database with a newer schema, even to replace it, and nothing is lost', async () => {
        const database = await open()
        for (const replace of [false, true]) {
          const refusal = replace
            ? /The backup was made by an older release \(0\.0\.1\), but .*0098-more/
            : /is not empty/
          await assert.rejects(into(database, fileOf(lines), { replace, ours: nextRelease }), refusal)
        }
        assert.deepEqual(await usernames(database), ['ann'])
      })
    })
  })

  oneDatabase((_target, _open, { openEmpty }) => {
    test('refuses a file whose schema has a gap', async () => {
      const file = fileOf(lines.map((line) => line.replace(JSON.stringify(NAMES), '["0098-more"]')))
      const database = await openEmpty()
      await assert.rejects(into(database, file, { ours: nextRelease }), {
        message: "The file's schema does not match any release. Nothing was restored.",
      })
    })
  })
})

eachDatabase((_kind, open) => {
  test('a node that starts meanwhile waits, and the rows it then writes are not deleted', async () => {
    const [restoring, starting] = [await open(), await open()]
    await filled(restoring)
    const file = fileOf(await linesOf(restoring))
    let inside: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      inside = resolve
    })
    const order: string[] = []
    const written = held.then(async () => {
      const store = createRootKeyStore(starting, createSealer(secret))
      await inTransaction(starting.query, async (query) => {
        await createRootKeyStore({ query }, createSealer(secret)).add(newRootKey(2, now))
      })
      order.push('written')
      return store.newerThan(0)
    })
    const request: RestoreRequest = {
      open: async function* () {
        inside()
        await new Promise((resolve) => setTimeout(resolve, 100))
        order.push('read')
        yield file
      },
      replace: true,
      unsealed: true,
      revokeSessionsSince: undefined,
    }
    const sealer = createSealer(secret)
    await restore(request, { wholeDatabase: wholeOf(restoring), sealer, now, authority: deciding('tester') })
    assert.deepEqual(
      (await written).map(({ id }) => id),
      [1, 2],
    )
    assert.deepEqual(order, ['read', 'written'])
  })

  test('refuses to back up a database that a newer release has migrated', async () => {
    const database = await open()
    await migrate(database, {
      migrations: [...migrations, { name: '0099-more', statements: () => ['create table more (id text)'] }],
    })
    await assert.rejects(
      linesOf(database),
      /was migrated by a newer release \(0099-more\).*Back it up with the newer release/,
    )
  })

  test('reads rows of a megabyte in pages of a few', async () => {
    const database = await open()
    const details = 'x'.repeat(1024 * 1024)
    const entry = {
      at: 1,
      actor: '',
      source: '',
      action: '',
      subject: '',
      seq: null,
      previous_hash: null,
      hash: null,
    }
    for (let id = 0; id < 10; id++)
      await database.query
        .insertInto('audit_entry')
        .values({ ...entry, id: `large-${id}`, details })
        .execute()
    await wholeOf(database).read(async (snapshot) => {
      const table = snapshot.tables.find(({ name }) => name === 'audit_entry') ?? assert.fail()
      const size = await snapshot.measure(table)
      const counts: number[] = []
      for await (const page of snapshot.pages(table, size)) counts.push(page.length)
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        size.rows,
      )
      assert.ok(size.rows >= 10 && Math.max(...counts) <= 7, `${counts}`)
    })
  })
})
