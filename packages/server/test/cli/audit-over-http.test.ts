/** `ratafia audit` at a service, from a machine where nothing of a service is set: as on the database. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { linkEntries } from '../../src/audit/link.ts'
import { eachBrokenTransfer } from '../support/broken-transfers.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { startCommand } from '../support/login-command.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { testProgram } from '../support/program.ts'
import { whileJobsRun } from '../support/running-jobs.ts'
import { addPerson, type TestService } from '../support/service.ts'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { testOnce } = onOne(kind)
  let service: TestService
  let home: string
  let token: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    service = await program.serve()
    for (const name of ['ann', 'bob', 'eve']) await addPerson(service, name)
    token = join(home, 'token')
    await writeFile(token, await managementToken(service, await addManager(service, 'auditor')))
  })
  after(() => rm(home, { recursive: true, force: true }))

  const over = (words: readonly string[], url = service.baseUrl) =>
    whileJobsRun(
      service.installation,
      () =>
        startCommand(words, {
          ...{ XDG_CONFIG_HOME: home, RATAFIA_URL: url, RATAFIA_TOKEN_FILE: token },
        }).finished,
    )

  test('verify: a job tells what the command on the database does', async () => {
    const told = async (...words: readonly string[]) => {
      // A job leaves entries of its own, which are linked a little later.
      await linkEntries(service.installation, async () => true)
      return [await over(['audit', 'verify', ...words]), await program.run(['audit', 'verify', ...words])]
    }
    const [there, here] = await told()
    const intact =
      /^The audit log is intact: \d+ entries\.( Not linked yet: \d+\.)?\nIts end: (\d+:[0-9a-f]{64})\n$/
    for (const one of [there, here]) {
      assert.deepEqual([one?.code, one?.stderr], [0, ''])
      assert.match(one?.stdout ?? '', intact)
    }
    const [, , end = ''] = intact.exec(there?.stdout ?? '') ?? []
    for (const one of await told('--expect', end)) assert.equal(one.code, 0)
    const other = `${end.split(':')[0]}:${'0'.repeat(64)}`
    const [refused, direct] = await told('--expect', other)
    assert.deepEqual(refused, direct)
    assert.match(
      refused?.stderr ?? '',
      /^ratafia: The audit log is broken at entry \d+: its hash is not the expected one/,
    )
    const [json, directJson] = await told('--expect', other, '--json')
    const without = ({ unlinked: _, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(without(JSON.parse(json?.stdout ?? '')), without(JSON.parse(directJson?.stdout ?? '')))
    const [wrong, directWrong] = await told('--expect', 'x')
    assert.deepEqual(wrong, directWrong)
  })

  test('both ways print the same, byte for byte', async () => {
    // It links what is there: some entries have a place in the chain, and later ones have none.
    assert.equal((await program.run(['accounts', 'disable', 'ann', '--yes'])).code, 0)
    const [entry] = await program.json('audit', 'list', '--subject', 'bob')
    for (const words of [
      ['list'],
      ['list', '--json'],
      ['list', '--limit', '2'],
      ['list', '--limit', '2', '--json'],
      ['list', '--columns', 'id,details,seq'],
      ['list', '--subject', 'ann', '--action', 'account.disable', '--since', '1h'],
      ['list', '--actor', 'operator', '--action', 'account.add'],
      ['list', '--until', '1h'],
      ['list', '--before', entry.id],
      ['list', '--before', '019e3b7c-0000-7000-8000-000000000000'],
      ['list', '--action', 'account.paint'],
      ['list', '--before', 'x'],
      ['export'],
      ['export', '--format', 'csv', '--subject', 'ann'],
      ['export', '--until', '1h', '--format', 'csv'],
      ['export', '--json'],
      ['export', 'audit.xlsx'],
    ]) {
      // At its end a command on the database links what is not linked yet.
      await program.run(['audit', 'list'])
      // Direct first: an export over HTTP adds an entry, which no earlier one has.
      const direct = await program.run(['audit', ...words])
      assert.deepEqual(await over(['audit', ...words]), direct, words.join(' '))
    }
    const files = ['here.csv', 'there.csv'].map((name) => join(home, name))
    const [here = '', there = ''] = files
    await program.run(['audit', 'list'])
    const direct = await program.json('audit', 'export', here)
    const exported = await over(['audit', 'export', there, '--json'])
    assert.deepEqual(JSON.parse(exported.stdout), { ...direct, file: there })
    assert.equal(await readFile(there, 'utf8'), await readFile(here, 'utf8'))
  })

  testOnce('Guarantee: an export that breaks off leaves no file that looks whole', async () => {
    const [line] = (await program.run(['audit', 'export'])).stdout.split('\n')
    await eachBrokenTransfer(`${line}\n`, async (url, name) => {
      const file = join(home, `${name}.jsonl`)
      const { code, stdout, stderr } = await over(['audit', 'export', file], url)
      assert.ok(code === 1 || code === 3, `${name}: ${code} ${stderr}`)
      assert.equal(stdout, '')
      await assert.rejects(stat(file), { code: 'ENOENT' })
    })
  })
})
