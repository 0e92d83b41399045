import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../../../test/support/eventually.ts'
import { type Database, migrate, openDatabase } from '../index.ts'
import { SqliteCacheFreshness } from './cache-freshness-sqlite.ts'
import { createMemory, type Memory } from './memory.ts'
import { findUnannounced } from './tables-without-triggers.ts'

interface Row {
  readonly id: string
}

let directory: string
let file: string
let database: Database
let freshness: SqliteCacheFreshness
let memory: Memory<Row>

suite('a memory that watches a file', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-test-'))
    file = join(directory, 'ratafia.db')
    database = await openDatabase({ kind: 'sqlite', file })
    await migrate(database)
    watch()
  })
  afterEach(async () => {
    await freshness.close()
    await database.close()
    await rm(directory, { recursive: true })
  })

  function watch(): void {
    freshness = new SqliteCacheFreshness(database, file, findUnannounced(database, assert.fail))
    memory = createMemory(freshness, { name: 'rows', dependsOn: ({ id }) => [{ kind: 'token-session', id }] })
  }

  /** Checks that the value is cached at first; otherwise the tests below would show nothing. */
  async function remember(): Promise<void> {
    await eventually('it is current', () => freshness.current())
    await memory.find('s1', async () => ({ id: 's1' }))
    assert.ok(memory.peek('s1'))
  }

  const CHANGE = "insert into recent_change (kind, id) values ('token-session', 's1')"
  const changeHere = () => sql.raw(CHANGE).execute(database.query)

  function changeElsewhere(statements: string): void {
    const program = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])`
    execFileSync(process.execPath, ['--no-warnings', '-e', program, file, statements])
  }

  test('Guarantee: a change by this process takes effect as soon as it is committed', async () => {
    await remember()
    await changeHere()
    assert.equal(memory.peek('s1'), undefined)
  })

  test('Guarantee: a change by another process takes effect as soon as it is committed', async () => {
    await remember()
    changeElsewhere(CHANGE)
    assert.equal(memory.peek('s1'), undefined)
  })

  test('a change that is rolled back, or of another row, leaves the cache alone', async () => {
    await remember()
    changeElsewhere(`begin; ${CHANGE}; rollback`)
    changeElsewhere(CHANGE.replace('s1', 's2'))
    await database.query.deleteFrom('audit_entry').execute()
    assert.ok(memory.peek('s1'))
  })

  test('receives a change while nothing uses the cache', async () => {
    await remember()
    const received: unknown[] = []
    freshness.subscribe((change) => received.push(change))
    changeElsewhere(CHANGE)
    await eventually('the change is received', () => received.length > 0)
    assert.deepEqual(received, [{ kind: 'token-session', id: 's1' }])
  })

  test('Guarantee: a process that missed changes that are no longer kept forgets everything', async () => {
    await remember()
    // One statement, so that no check happens in between.
    changeElsewhere(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10001)
      insert into recent_change (kind, id) select 'token-session', 'other' from numbers`)
    assert.equal(memory.peek('s1'), undefined)
    await remember()
    await changeHere()
    assert.equal(memory.peek('s1'), undefined)
  })

  test('Guarantee: nothing is cached if the watcher opened a different file than the statements use', async () => {
    await freshness.close()
    cpSync(file, join(directory, 'copy.db'))
    for (const end of ['-wal', '-shm']) cpSync(`${file}${end}`, join(directory, `copy.db${end}`))
    renameSync(file, join(directory, 'old.db'))
    for (const end of ['', '-wal', '-shm']) renameSync(join(directory, `copy.db${end}`), `${file}${end}`)
    watch()
    for (let round = 0; round < 5; round++) {
      const before = await written()
      await eventually('another try', async () => (await written()) > before)
      assert.equal(freshness.current(), false)
    }
  })

  /** Returns how many rows this process has written to introduce a watcher. */
  async function written(): Promise<number> {
    const { rows } = await sql<{ n: number }>`select max(seq) as n from recent_change`.execute(database.query)
    return rows[0]?.n ?? 0
  }

  test('Guarantee: receives changes in the file that the statements use, even after it was replaced', async () => {
    await remember()
    await rm(file)
    new DatabaseSync(file).close()
    await changeHere()
    assert.equal(memory.peek('s1'), undefined)
  })

  test('Guarantee: while the watcher fails nothing is cached, and afterwards it starts over', async () => {
    await remember()
    changeElsewhere('alter table recent_change rename to elsewhere')
    assert.equal(memory.peek('s1'), undefined)
    assert.equal(freshness.current(), false)
    assert.equal(freshness.lag(), Number.POSITIVE_INFINITY)
    changeElsewhere('alter table elsewhere rename to recent_change')
    await remember()
    assert.equal(freshness.lag(), 0)
  })

  test('the table of changes stays small', async () => {
    changeElsewhere(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20000)
      insert into recent_change (kind, id) select 'token-session', 'other' from numbers`)
    const { rows } = await sql<{ n: number }>`select count(*) as n from recent_change`.execute(database.query)
    assert.ok((rows[0]?.n ?? 0) <= 10_000)
  })
})
