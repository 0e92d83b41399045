/** `ratafia audit`, and the periodic work of a running service, on every database. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Installation } from '../../src/installation.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { eventuallyPasses } from '../support/eventually.ts'
import { openingOf } from '../support/openings.ts'
import { testProgram } from '../support/program.ts'
import { addPerson } from '../support/service.ts'

const DAY = 86_400_000

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(withoutTables(fresh))
  const { json, says } = program
  let installation: Installation
  before(async () => {
    assert.equal((await program.run('migrate', { environment: { SUDO_USER: 'eve' } })).code, 0)
    installation = await program.open()
  })
  const list = (words = '') => json(`audit list ${words}`)

  test('the first entry is the creation of the schema, by the user who ran the program', async () => {
    const [entry, ...others] = await list()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [entry.actor, entry.action, entry.subject],
      ['operator', 'schema.migrate', entry.details.migrations.at(-1)],
    )
    assert.match(entry.source, /^command line, \d+ \S+, sudo by eve$/)
    await says('migrate')
    assert.equal((await list()).length, 1, 'nothing was left to run')
  })

  test('a command links the entries it wrote, and list prints them as a table, page by page', async () => {
    await program.addAccount('ann')
    await says('accounts disable --yes ann')
    const { stdout, stderr } = await program.run('audit list --limit 2')
    assert.match(
      stdout,
      /^SEQ +AT +ACTOR +SOURCE +ACTION +SUBJECT +DETAILS\n3 +\S+Z +operator +command line, \d+ \S+ +account\.disable +ann +-\n2 .* account\.add +ann +\{"id":"\w{32}"\}\n$/,
    )
    const [, before = ''] =
      /^There are more entries\. To see the next 2, pass --before (\S+)\.\n$/.exec(stderr) ?? []
    const rest = await list(`--before ${before}`)
    assert.deepEqual(
      rest.map(({ seq }: { seq: number }) => seq),
      [1],
    )
    assert.equal((await list('--subject ann --action account.add --since 1h')).length, 1)
    for (const none of ['--until 1h', '--actor account:ann']) assert.deepEqual(await list(none), [])
    await says('audit list --since 9d --until 8d', 'Nothing matches --since 9d --until 8d.\n')
  })

  if (kind === 'sqlite')
    test('refuses invalid filters', () =>
      program.refusesEach`
        audit list --action account.paint | 2 | is not an action\. .ratafia audit list --help. lists the actions
        audit list --since yesterday | 2 | --since yesterday is not a time: write a date
        audit list --limit 0 | 2 | is not a number from 1 to 99999
        audit list --before x | 2 | --before x is not the id of an entry
        audit verify --expect 3 | 2 | --expect`)

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
    const [file, whole] = ['audit.csv', 'audit.jsonl'].map((name) => join(program.directory, name))
    assert.deepEqual(await json(`audit export ${file} --action account.add`), { exported: 1, file })
    assert.match(
      await readFile(String(file), 'utf8'),
      /^seq,id,at,actor,source,action,subject,details,previous_hash,hash\n2,.*,account\.add,ann,/,
    )
    // --format overrides the ending of the file's name.
    await json(`audit export ${file} --format jsonl`)
    await json(`audit export ${whole}`)
    for (const name of [file, whole]) assert.equal(await readFile(String(name), 'utf8'), stdout)
  })

  if (kind === 'sqlite')
    test('refuses an export of unknown format, or to a file that cannot be written', () =>
      program.refusesEach`
        audit export audit.json | 2 | ^ratafia: audit.json ends neither in \.csv nor in \.jsonl\. Pass --format\.
        audit export audit.xlsx | 2 | ^ratafia: audit.xlsx ends neither in \.csv nor in \.jsonl\. Pass --format\.
        audit export audit | 2 | ^ratafia: audit ends neither in \.csv nor in \.jsonl\. Pass --format\.
        audit export --json | 2 | Pass a file
        audit export ${join(program.directory, 'no/where.csv')} | 1 | cannot be written`)

  test('verify prints the latest entry to keep, and exits with 1 if an entry was changed', async () => {
    const intact = /^The audit log is intact: 3 entries\.\nLatest entry: (3:[0-9a-f]{64})\n$/
    const [, end = ''] = intact.exec(await says('audit verify', intact)) ?? []
    const document = await json(`audit verify --expect ${end}`)
    assert.deepEqual(document, { verified: 3, unlinked: 0, end, broken_at: null, why: null })
    const { query } = installation.database
    const about = (subject: string) =>
      query.updateTable('audit_entry').set({ subject }).where('seq', '=', 2).execute()
    await about('bob')
    const broken = await program.run('audit verify --json')
    assert.deepEqual([broken.code, JSON.parse(broken.stdout).broken_at], [1, 2])
    assert.match(
      broken.stderr,
      /"message":"The audit log is broken at entry 2: its content does not match its hash\. Intact entries before it: 1\."}}\n$/,
    )
    await about('ann')
    await says(`audit verify --expect ${end}`)
    const cut = await program.run(`audit verify --expect 9${end.slice(1)}`)
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
    await byOperator(installation)(({ record }) => record({ action: 'account.enable', subject: 'unknown' }))
    await eventuallyPasses(async () => assert.equal(await installation.audit.countUnlinked(), 0))
    await eventuallyPasses(async () =>
      assert.deepEqual(await installation.tokenSessions.list({ limit: 9 }), []),
    )
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    assert.match(stderr, /"table":"token_session","removed":1,"msg":"removed expired rows"/)
    assert.doesNotMatch(stderr, /a job failed/)
    const held = await installation.database.query.selectFrom('job_lease').select('held_until').execute()
    assert.deepEqual(new Set(held.map(({ held_until }) => held_until)), new Set([0]), 'a lease is still held')
    await says('audit verify')
  })

  test('a rotation of the secret key adds one entry', async () => {
    const count = (await list()).length
    const { RATAFIA_SECRET_KEY: old } = program.environment
    const key = Buffer.alloc(32, 10).toString('base64')
    const environment = old ? { RATAFIA_SECRET_KEY: key, RATAFIA_PREVIOUS_SECRET_KEY: old } : {}
    await says('secret rotate', undefined, { environment })
    const listed = await program.run('audit list --json', { environment })
    const [newest, ...others] = JSON.parse(listed.stdout)
    assert.equal(others.length, count)
    assert.equal(newest.action, 'secret.rotate')
    assert.ok(newest.details.resealed > 0)
    assert.doesNotMatch(listed.stdout, new RegExp(`${key.slice(0, 20)}|${old?.slice(0, 20) ?? 'no key'}`))
  })
})
