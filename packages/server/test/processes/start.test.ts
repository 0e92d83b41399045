/** An interrupted start leaves nothing half done, and a start with a slow database continues. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { testProgram } from '../support/program.ts'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)

  /** Runs statements of another process that make a migration wait for it. */
  const hold = async () => {
    const target = await fresh.target()
    const forget = "update schema_migration set name = '0000-older' where name = '0001-schema'"
    if (target.kind === 'sqlite') {
      const other = new DatabaseSync(target.file)
      other.exec(forget)
      other.exec('begin immediate')
      return () => {
        other.exec('rollback')
        other.close()
      }
    }
    const client = new pg.Client({ connectionString: target.url })
    await client.connect()
    await client.query(forget)
    await client.query('begin')
    await client.query('update schema_lock set id = 1')
    return async () => {
      await client.query('rollback')
      await client.end()
    }
  }

  for (const workers of ['1', '2']) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      test(`${signal} before it listens, with ${workers} workers, ends it immediately with 0`, async () => {
        assert.equal((await program.run(['migrate'])).code, 0)
        const release = await hold()
        const service = program.launch(['serve'], { RATAFIA_WORKERS: workers })
        await eventually('it waits in its start', () => service.stderr().includes('waiting for'))
        // The lock is held until the service has ended, so it did not wait for it.
        const { code, stdout, stderr } = await service.end(signal)
        await release()
        assert.deepEqual({ code, stdout }, { code: 0, stdout: '' }, stderr)
        assert.doesNotMatch(stderr, /brought the database up to date|is listening|did not finish/)
        const { missing } = await program.json('migrate', '--plan')
        assert.equal(missing.length, 1, 'it has migrated')
        await restore()
      })
    }
  }

  /** Restores what {@link hold} made the database forget. */
  const restore = async () => {
    const target = await fresh.target()
    const remember = "update schema_migration set name = '0001-schema' where name = '0000-older'"
    if (target.kind === 'postgres') return asSuperuser(remember, new URL(target.url).pathname)
    const database = new DatabaseSync(target.file)
    database.exec(remember)
    database.close()
  }

  test('a signal while it loads its code ends it', async () => {
    const service = program.launch(['serve'], { RATAFIA_WORKERS: '2' })
    const { code, stdout } = await service.end('SIGTERM')
    // Before its first line runs, the signal has its default effect, without an exit code.
    assert.ok(code === 0 || code === null, String(code))
    assert.equal(stdout, '')
  })

  if (kind === 'sqlite') return

  for (const workers of ['1', '2']) {
    test(`waits for late heartbeats at the start, with ${workers} workers`, async () => {
      const target = await fresh.target()
      assert.ok(target.kind === 'postgres')
      const path = new URL(target.url).pathname
      // The first three heartbeats take longer than their limit.
      await asSuperuser('create sequence late', path)
      await asSuperuser(
        `create function public.pg_logical_emit_message(boolean, text, text) returns pg_lsn language plpgsql as $$
          begin
            if nextval('public.late') <= 3 then perform pg_sleep(4); end if;
            return pg_catalog.pg_logical_emit_message($1, $2, $3);
          end $$`,
        path,
      )
      await asSuperuser(`alter database ${path.slice(1)} set search_path = public, pg_catalog`)
      try {
        const service = await program.start({ RATAFIA_WORKERS: workers })
        const { code, stderr } = await service.end('SIGTERM')
        assert.equal(code, 0)
        assert.match(stderr, /does not confirm writes.*"msg":"the database is slow: retrying the start"/)
      } finally {
        await asSuperuser(`alter database ${path.slice(1)} reset search_path`)
        await asSuperuser('drop function public.pg_logical_emit_message', path)
        await asSuperuser('drop sequence late', path)
      }
    })
  }
})
