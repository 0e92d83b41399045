/** `ratafia audit`, and the periodic work of a running service, on every database. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../../src/installation.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { openingOf } from '../support/openings.ts'
import { testProgram } from '../support/program.ts'
import { addPerson } from '../support/service.ts'

const DAY = 86_400_000
const ACCOUNT = ['accounts', 'add', 'ann', '--email', 'ann@example.org', '--name', 'Ann', '--no-password']

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(withoutTables(fresh))
  let installation: Installation
  before(async () => {
    assert.equal((await program.run('migrate', { environment: { SUDO_USER: 'eve' } })).code, 0)
    installation = await program.open()
  })
  const list = (...words: readonly string[]) => program.json('audit', 'list', ...words)
  const until = async (condition: () => Promise<boolean>) => {
    for (const deadline = performance.now() + 60_000; !(await condition()); await sleep(50)) {
      assert.ok(performance.now() < deadline, 'the condition was not met in time')
    }
  }

  test('the first entry is the creation of the schema, by the user who ran the program', async () => {
    const [entry, ...others] = await list()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [entry.actor, entry.action, entry.subject],
      ['operator', 'schema.migrate', entry.details.migrations.at(-1)],
    )
    assert.match(entry.source, /^command line, \d+ \S+, sudo by eve$/)
    assert.equal((await program.run('migrate')).code, 0)
    assert.equal((await list()).length, 1, 'nothing was left to run')
  })

  test('a command links the entries it wrote, and list prints them as a table, page by page', async () => {
    assert.equal((await program.run(ACCOUNT)).code, 0)
    assert.equal((await program.run('accounts disable --yes ann')).code, 0)
    const { stdout, stderr } = await program.run('audit list --limit 2')
    assert.match(
      stdout,
      /^SEQ +AT +ACTOR +SOURCE +ACTION +SUBJECT +DETAILS\n3 +\S+Z +operator +command line, \d+ \S+ +account\.disable +ann +-\n2 .* account\.add +ann +\{"id":"\w{32}"\}\n$/,
    )
    const [, before = ''] =
      /^There are more entries\. To see the next 2, pass --before (\S+)\.\n$/.exec(stderr) ?? []
    const rest = await list('--before', before)
    assert.deepEqual(
      rest.map(({ seq }: { seq: number }) => seq),
      [1],
    )
    assert.equal((await list('--subject', 'ann', '--action', 'account.add', '--since', '1h')).length, 1)
    assert.deepEqual(await list('--until', '1h'), [])
    assert.deepEqual(await list('--actor', 'account:ann'), [])
    assert.match((await program.run('audit list --since 9d --until 8d')).stdout, /^No entries match\./)
  })

  if (kind === 'sqlite')
    test('refuses invalid filters', async () => {
      for (const [words, message] of [
        [['--action', 'account.paint'], /is not an action\. `ratafia audit list --help` lists the actions/],
        [['--since', 'yesterday'], /--since yesterday is not a time: write a date/],
        [['--limit', '0'], /is not a number from 1 to 99999/],
        [['--before', 'x'], /--before x is not the id of an entry/],
      ] as const) {
        const refused = await program.run(['audit', 'list', ...words])
        assert.equal(refused.code, 2)
        assert.match(refused.stderr, message)
      }
      const anchor = await program.run('audit verify --expect 3')
      assert.deepEqual([anchor.code, anchor.stdout], [2, ''])
    })

  test('each line of an export as JSON lines or CSV can be verified alone, as documented', async () => {
    const { stdout } = await program.run('audit export')
    const lines = stdout.trimEnd().split('\n')
    let previous = '0'.repeat(64)
    for (const [index, line] of lines.entries()) {
      const { seq, previous_hash, id, at, actor, source, action, subject, details, hash } = JSON.parse(line)
      assert.deepEqual([seq, previous_hash], [index + 1, previous])
      const text = [seq, previous_hash, id, Date.parse(at), actor, source, action, subject, details]
      assert.equal(createHash('sha256').update(JSON.stringify(text)).digest('hex'), hash)
      previous = hash
    }
    const file = join(program.directory, 'audit.csv')
    const told = await program.json('audit', 'export', file, '--action', 'account.add')
    assert.deepEqual(told, { exported: 1, file })
    const csv = await readFile(file, 'utf8')
    assert.match(
      csv,
      /^seq,id,at,actor,source,action,subject,details,previous_hash,hash\n2,.*,account\.add,ann,/,
    )
    await program.json('audit', 'export', join(program.directory, 'audit.jsonl'))
    assert.equal(await readFile(join(program.directory, 'audit.jsonl'), 'utf8'), stdout)
    // --format overrides the ending of the file's name.
    await program.json('audit', 'export', file, '--format', 'jsonl')
    assert.equal(await readFile(file, 'utf8'), stdout)
  })

  if (kind === 'sqlite')
    test('refuses an export of unknown format, or to a file that cannot be written', async () => {
      for (const name of ['audit.json', 'audit.xlsx', 'audit']) {
        const { code, stderr } = await program.run(['audit', 'export', name])
        assert.deepEqual(
          [code, stderr.split('\n')[0]],
          [2, `ratafia: ${name} ends neither in .csv nor in .jsonl. Pass --format.`],
        )
      }
      assert.equal((await program.run('audit export --json')).code, 2)
      assert.equal((await program.run(['audit', 'export', join(program.directory, 'no/where.csv')])).code, 1)
    })

  test('verify prints the latest entry to keep, and exits with 1 if an entry was changed', async () => {
    const { code, stdout } = await program.run('audit verify')
    assert.equal(code, 0)
    const [, end = ''] =
      /^The audit log is intact: 3 entries\.\nLatest entry: (3:[0-9a-f]{64})\n$/.exec(stdout) ?? []
    const document = await program.json('audit', 'verify', '--expect', end)
    assert.deepEqual(document, { verified: 3, unlinked: 0, end, broken_at: null, why: null })
    const { query } = installation.database
    await query.updateTable('audit_entry').set({ subject: 'bob' }).where('seq', '=', 2).execute()
    const broken = await program.run('audit verify --json')
    assert.equal(broken.code, 1)
    assert.equal(JSON.parse(broken.stdout).broken_at, 2)
    assert.match(
      broken.stderr,
      /"message":"The audit log is broken at entry 2: its content does not match its hash\. Intact entries before it: 1\."}}\n$/,
    )
    await query.updateTable('audit_entry').set({ subject: 'ann' }).where('seq', '=', 2).execute()
    assert.equal((await program.run(['audit', 'verify', '--expect', end])).code, 0)
    const cut = await program.run(['audit', 'verify', '--expect', `9${end.slice(1)}`])
    assert.equal(cut.code, 1)
    assert.match(cut.stderr, /broken at entry 4: it is missing, although entry 9 is expected/)
  })

  test('a running service links entries and removes what has expired', async () => {
    const ben = await addPerson({ installation })
    const ended = new Date(Date.now() - 99 * DAY)
    const session = {
      ...{ id: 'ended' as never, accountId: ben.id, description: undefined },
      ...{ validSince: ended, validUntil: ended },
    }
    assert.ok(await installation.tokenSessions.open(openingOf(session, ended)))
    const service = await program.start({ RATAFIA_WORKERS: '2', RATAFIA_LOG_LEVEL: 'debug' })
    await byOperator(installation)(({ record }) => record({ action: 'account.enable', subject: 'nobody' }))
    await until(async () => (await installation.audit.countUnlinked()) === 0)
    await until(async () => (await installation.tokenSessions.list({ limit: 9 })).length === 0)
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    assert.match(stderr, /"table":"token_session","removed":1,"msg":"removed expired rows"/)
    assert.doesNotMatch(stderr, /a job failed/)
    const held = await installation.database.query.selectFrom('job_lease').select('held_until').execute()
    assert.deepEqual(new Set(held.map(({ held_until }) => held_until)), new Set([0]), 'a lease is still held')
    assert.equal((await program.run('audit verify')).code, 0)
  })

  test('a rotation of the secret key adds one entry', async () => {
    const count = (await list()).length
    const { RATAFIA_SECRET_KEY: old } = program.environment
    const key = Buffer.alloc(32, 10).toString('base64')
    const environment = old ? { RATAFIA_SECRET_KEY: key, RATAFIA_PREVIOUS_SECRET_KEY: old } : {}
    const { code, stderr } = await program.run('secret rotate', { environment })
    assert.equal(code, 0, stderr)
    const listed = await program.run('audit list --json', { environment })
    const [newest, ...others] = JSON.parse(listed.stdout)
    assert.equal(others.length, count)
    assert.equal(newest.action, 'secret.rotate')
    assert.ok(newest.details.resealed > 0)
    assert.doesNotMatch(listed.stdout, new RegExp(`${key.slice(0, 20)}|${old?.slice(0, 20) ?? 'no key'}`))
  })
})
