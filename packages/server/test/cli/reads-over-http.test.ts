/** `ratafia clones list` and others that only read, at a service, and on its database: the same bytes. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CLONE_EVIDENCE_KINDS } from '../../src/devices/clones/clone-evidence.ts'
import { importDevices } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { startCommand } from '../support/login-command.ts'
import { type Finished, testProgram } from '../support/program.ts'
import { addPerson, logIn, type TestService, whoami } from '../support/service.ts'

const at = (hour: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + hour * 3_600_000).toISOString()

const devices = Array.from({ length: 9 }, (_, index) => ({
  ...{ brand_id: 'acme-brand', model: index % 3 === 0 ? 'other' : 'acme-classic', serial: `CL-${index}` },
  device_key_id: String(index).repeat(64),
  clone_evidence: JSON.stringify(
    CLONE_EVIDENCE_KINDS.slice(0, index % 5).map((kind, row) => ({
      ...{ kind, subject: `s${row}`, times: row + 1, details: { address: '192.0.2.1' } },
      ...{ first_seen_at: at(index), last_seen_at: at(index + row) },
    })),
  ),
}))

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let home: string
  let agent: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    const words = ['farm', '--email', 'farm@example.org', '--name', 'Farm', '--no-password']
    assert.equal((await program.run(['accounts', 'add', ...words, '--role', 'auditor'])).code, 0)
    service = await program.serve()
    await withAcme({ ...service.installation, clock: service.now })
    agent = join(home, 'agent.json')
    const identity = ['--account', 'farm', '--url', `${service.baseUrl}/identity`, '--output', agent]
    assert.equal((await program.run(['agents', 'add', 'reader', ...identity])).code, 0)
    const source = {
      format: 'json' as const,
      open: async function* () {
        yield Buffer.from(JSON.stringify(devices))
      },
    }
    await importDevices({ source, unknownModels: true }, service.installation)
  })
  after(() => rm(home, { recursive: true, force: true }))

  const over = (...words: readonly string[]): Promise<Finished> =>
    startCommand(words, {
      ...{ XDG_CONFIG_HOME: home, RATAFIA_URL: service.baseUrl, RATAFIA_AGENT_FILE: agent },
    }).finished
  /** What both ways print. */
  const both = async (...words: readonly string[]): Promise<Finished> => {
    const [here, there] = await Promise.all([program.run(words), over(...words)])
    assert.deepEqual(there, here)
    return here
  }

  test('clones list: the same both ways', async () => {
    const { code, stdout } = await both('clones', 'list')
    assert.equal(code, 0)
    assert.match(stdout, /^LAST SEEN AT +BRAND ID +MODEL +SERIAL +KIND +TIMES +STATUS +QUARANTINED AT\n/)
    assert.equal(stdout.split('\n').length, 2 + 1 + 2 + 3 + 4 + 1 + 2 + 3)
    assert.match(stdout.split('\n')[1] ?? '', / CL-8 +two-chains +3 /)
    const json = JSON.parse((await both('clones', 'list', '--json', '--limit', '1')).stdout)
    assert.deepEqual(json[0].details, { address: '192.0.2.1' })
    assert.match((await both('clones', 'list', '--limit', '3')).stderr, /^There is more/)
    for (const words of [
      '--kind two-chains --json',
      `--since ${at(6)}`,
      '--model acme-brand/other',
      '--brand acme-brand --columns serial,subject,details',
      '--brand nobody',
    ]) {
      assert.equal((await both('clones', 'list', ...words.split(' '))).code, 0, words)
    }
    assert.equal((await both('clones', 'list', '--brand', 'nobody')).stdout, 'There is no such evidence.\n')
  })

  test('counters: the same both ways', async () => {
    const hour = new Date().setUTCMinutes(0, 0, 0)
    const row = { at: hour - 3_600_000, n: 3 }
    await service.installation.counts.add([
      { ...row, name: 'registrations', brandId: '(all)', label: 'serial' },
      { ...row, name: 'registrations', brandId: 'acme-brand', label: 'serial', n: 2 },
      ...Array.from({ length: 9 }, (_, index) => ({
        ...{ ...row, name: 'refusals', brandId: '(all)', label: `code-${index}` },
      })),
    ])
    const { code, stdout } = await both('counters', '--name', 'registrations')
    assert.equal(code, 0)
    assert.match(stdout, /^registrations: 3\nAT +SERIAL +WAITS +REFUSED\n/)
    assert.equal(stdout.trimEnd().split('\n').length, 2 + 24)
    const ofBrand = JSON.parse(
      (await both('counters', '--period', '30d', '--brand', 'acme-brand', '--json')).stdout,
    )
    assert.equal(ofBrand.counters.length, 3)
    assert.equal(ofBrand.counters[0].buckets.length, 30)
    assert.match((await both('counters', '--name', 'refusals', '--period', '12mo')).stdout, / code-8 +3\n/)
    assert.equal((await both('counters', '--name', 'store-questions')).stdout, 'store questions: 0\n')
    for (const words of [
      ['--name', 'logins', '--brand', 'acme-brand'],
      ['--brand', 'nobody'],
    ]) {
      await both('counters', ...words)
    }
  })

  test('tokens list: the same both ways, also of those that nobody uses', async () => {
    const ann = await addPerson(service, 'ann')
    assert.equal(await whoami(service, await logIn(service, ann)), 200)
    const list = ['tokens', 'list', '--account', 'ann']
    const [listed, ...more] = JSON.parse((await both(...list, '--json')).stdout)
    const unlimited = { permissions: null, channels: null, packages: null, store_ids: null }
    assert.deepEqual([listed.limits, listed.manage, more], [unlimited, null, []])
    assert.match((await both(...list)).stdout, / ann +developer /)
    const limits = (await both(...list, '--columns', 'limits,manage')).stdout
    assert.match(limits, /"permissions":null/)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    assert.equal((await both(...list, '--unused-since', later)).stdout.split('\n').length, 3)
    assert.equal((await both(...list, '--unused-since', '90d')).stdout, 'There is no session to show.\n')
    assert.equal((await both(...list, '--unused-since', 'x')).code, 2)
  })

  test('packages list: the same both ways, while it is empty and when it has several pages', async () => {
    assert.match((await both('packages', 'list')).stdout, /^The package directory is empty/)
    const entries = Array.from({ length: 260 }, (_, index) => ({ name: `p${index}`, snapId: `id-${index}` }))
    await service.installation.packages.import(entries, { replaceAll: true })
    assert.equal((await both('packages', 'list')).stdout.split('\n').length, 262)
    assert.equal(JSON.parse((await both('packages', 'list', '--json')).stdout).length, 260)
    assert.equal((await both('packages', 'list', '--columns', 'snap_id')).code, 0)
  })

  test('status: as the service sees it, and on its machine as before', async () => {
    const { code, stdout, stderr } = await over('status')
    // Nobody does the periodic work here.
    assert.equal(code, 1)
    assert.match(stderr, /of 17 needs? attention\./)
    assert.ok(stdout.startsWith(`ok         service:      ${service.baseUrl} takes requests.\n`), stdout)
    assert.match(stdout, /\nok {9}database: {5}(SQLite|PostgreSQL) answers\.\n/)
    assert.match(stdout, /\nok {9}changes: /)
    const { release, findings } = JSON.parse((await over('status', '--json')).stdout)
    assert.deepEqual([typeof release, findings.length], ['string', 17])
    const here = JSON.parse((await program.run(['status', '--json'])).stdout)
    assert.equal(here.findings.length, 16)
  })

  test('clones list: what it does not take is refused before anybody is asked', async () => {
    for (const words of ['--kind third-chain', '--since yesterday', '--limit 0']) {
      assert.equal((await both('clones', 'list', ...words.split(' '))).code, 2, words)
    }
  })
})
