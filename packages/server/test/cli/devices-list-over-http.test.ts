/** `ratafia devices list`, `counts` and `export` at a service, and on its database: the same bytes. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { bucketOf } from '../../src/bucket.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { DEVICE_STATUSES, type Device } from '../../src/devices/device.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { eachBrokenTransfer } from '../support/broken-transfers.ts'
import { line } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { startCommand } from '../support/login-command.ts'
import { type Finished, testProgram, type Variables } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000
const DEVICES = 120

const register: readonly Device[] = Array.from({ length: DEVICES }, (_, index) => {
  const deviceKeyId = Buffer.alloc(48, index).toString('base64url')
  return {
    ...newDevice({
      ...{ brandId: 'acme-brand', model: `m${index % 2}`, deviceKeyId, origin: 'import' as const },
      ...{ original: null, registeredAt: new Date(START + index * HOUR) },
    }),
    id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId,
    bucket: bucketOf(deviceKeyId),
    ...{ status: DEVICE_STATUSES[index % 5] ?? 'active', serial: `L-${String(index).padStart(3, '0')}` },
    quarantinedAt: index % 9 === 0 ? new Date(START) : null,
  }
})

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let home: string
  let agent: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    const words = ['factory', '--email', 'factory@example.org', '--name', 'Factory', '--no-password']
    assert.equal((await program.run(['accounts', 'add', ...words])).code, 0)
    service = await program.serve()
    await withAcme({ ...service.installation, clock: service.now })
    const grant = ['grants', 'add', 'factory', 'viewer', '--brand', 'acme-brand']
    assert.equal((await program.run(grant)).code, 0)
    agent = join(home, 'agent.json')
    const identity = ['--account', 'factory', '--url', `${service.baseUrl}/identity`, '--output', agent]
    assert.equal((await program.run(['agents', 'add', 'line', ...identity])).code, 0)
    const { query } = service.installation.database
    const asks = ({ status }: Device) => status === 'pending' || status === 'rejected'
    await query
      .insertInto('device')
      .values(register.map((one) => ({ ...rowOf(one), request: asks(one) ? Buffer.from('x') : null })))
      .execute()
    const seen = register.filter((_, index) => index % 3 > 0)
    await query
      .insertInto('device_activity')
      .values(
        seen.map(({ id, bucket, brandId }, index) => ({
          ...{ device_id: id, bucket, brand_id: brandId, last_seen_at: START + ((index * 7) % 80) * HOUR },
          ...{ address: '192.0.2.1', address_key: '00000000000000000000ffffc0000201' },
          evidence_at: index % 10 === 0 ? START + index * HOUR : null,
        })),
      )
      .execute()
    // Who waits asked from where they were seen last.
    await query
      .insertInto('device_registration')
      .values(
        seen.map(({ id, bucket }) => ({
          ...{ request_id_hash: Buffer.from(id), bucket, device_id: id, request_hash: Buffer.from('r') },
          ...{ registered_at: START, address: '192.0.2.1', user_agent: '' },
        })),
      )
      .execute()
    await recountDevices({ ...service.installation, goOn: async () => true })
  })
  after(() => rm(home, { recursive: true, force: true }))

  const at = (url: string, words: readonly string[], credential: Variables): Promise<Finished> =>
    startCommand(words, { XDG_CONFIG_HOME: home, RATAFIA_URL: url, ...credential }).finished
  const over = (...words: readonly string[]): Promise<Finished> =>
    at(service.baseUrl, words, { RATAFIA_AGENT_FILE: agent })
  const direct = (...words: readonly string[]) => program.run(words)

  const LISTS = line`
    '--sort registered' '--sort registered --reverse --limit 7' --all '--sort serial --status pending'
    '--sort serial --model acme-brand/m1 --quarantined' '--sort registered --serial-prefix L-01 --json'
    '--sort serial --registered-after 2026-01-03T00:00:00Z --registered-before 2026-01-04T00:00:00Z'
    '--sort seen --limit 20' '--sort seen --reverse --json' '--sort evidence'
    '--never-seen --sort serial' '--from 192.0.2.0/24 --status active'
    '--seen-after 2026-01-02T00:00:00Z --seen-before 2026-01-03T00:00:00Z --sort serial --json'
    '--sort seen --columns id,last_seen_at,evidence_at' '--serial nothing --sort serial'`
  for (const words of LISTS) {
    test(`devices list ${words}: the same both ways`, async () => {
      const [here, there] = await Promise.all(
        [direct, over].map((way) => way('devices', 'list', ...words.split(' '))),
      )
      assert.deepEqual([here?.code, there?.code], [0, 0], `${here?.stderr}${there?.stderr}`)
      assert.equal(there?.stdout, here?.stdout)
      const rows = words.includes('nothing') ? 1 : 2
      assert.ok((here?.stdout.split('\n').length ?? 0) > rows || words.includes('--json'), here?.stdout)
    })
  }

  test('--all: every device that fits, and no number beside it', async () => {
    assert.equal(
      JSON.parse((await over('devices', 'list', '--all', '--json')).stdout).length,
      register.length,
    )
    const both = await over('devices', 'list', '--all', '--limit', '3')
    assert.deepEqual([both.code, both.stdout], [2, ''])
    assert.match(both.stderr, /'--all' cannot be used with option '--limit <number>'/)
  })

  test('a list without options begins with the newest', async () => {
    const { stdout } = await over('devices', 'list', '--json')
    const newest = register.toReversed().slice(0, 100)
    assert.deepEqual(
      JSON.parse(stdout).map(({ id }: { id: string }) => id),
      newest.map(({ id }) => id),
    )
  })

  test('what only a search of the database can do is refused over HTTP, and so is half of each', async () => {
    for (const words of ['--session-after 7d', '--without-session', '--address ::1', '--sort session']) {
      const { code, stderr } = await over('devices', 'list', ...words.split(' '))
      assert.equal(code, 2, stderr)
      assert.match(stderr, /works on the database alone/)
    }
    for (const words of ['--session-after 7d --sort seen', '--never-seen --address ::1', '--from nowhere']) {
      assert.equal((await direct('devices', 'list', ...words.split(' '))).code, 2, words)
    }
    assert.equal((await over('devices', 'list', '--sort', 'serial', '--reverse')).code, 2)
  })

  test('devices counts: the same both ways', async () => {
    for (const words of [[], ['--json'], ['--brand', 'acme-brand'], ['--brand', 'other']]) {
      const [here, there] = await Promise.all([direct, over].map((way) => way('devices', 'counts', ...words)))
      assert.deepEqual([here?.code, there?.code], [0, 0], `${here?.stderr}${there?.stderr}`)
      assert.equal(there?.stdout, here?.stdout)
    }
    const { stdout } = await over('devices', 'counts')
    assert.match(stdout, /^BRAND ID +MODEL +STATUS +DEVICES\nacme-brand +m0 +active +12\n/)
    assert.match(
      stdout,
      /\n120 in all, as counted at .*\nNow 24 wait for approval, and 14 are in quarantine\.\n$/,
    )
  })
  const EXPORTS = line`
    '' '--format json' '--format csv --status pending'
    '--model acme-brand/m1 --quarantined --format json'
    '--serial-prefix L-01 --registered-after 2026-01-01T12:00:00Z' --clones '--brand other'
    '--brand other --format json'`
  for (const words of EXPORTS) {
    test(`devices export --listed ${words}: the same both ways`, async () => {
      const all = ['devices', 'export', '--listed', ...words.split(' ').filter(Boolean)]
      const here = await direct(...all)
      assert.deepEqual([here.code, here.stderr], [0, ''])
      assert.deepEqual(await over(...all), here)
      assert.ok(here.stdout.split('\n').length > (words.includes('other') ? 1 : 5), here.stdout)
    })
  }

  test('devices export: into a file, and without --listed it says what is missing', async () => {
    const [here = '', there = ''] = ['here.json', 'there.json'].map((name) => join(home, name))
    const told = await direct('devices', 'export', here, '--listed', '--json')
    const answer = await over('devices', 'export', there, '--json')
    assert.deepEqual(JSON.parse(answer.stdout), { exported: DEVICES, file: there })
    assert.equal(answer.stdout, told.stdout.replace(here, there))
    assert.match(answer.stderr, /^A service exports what lists have .*, without its assertions\. /)
    assert.equal(await readFile(there, 'utf8'), await readFile(here, 'utf8'))
    const rows: readonly { readonly id: string }[] = JSON.parse(await readFile(there, 'utf8'))
    assert.deepEqual(
      rows.map(({ id }) => id),
      register.map(({ id }) => id),
    )
    for (const words of ['--session-after 7d', '--address ::1', '--clones second-key']) {
      const refused = await over('devices', 'export', ...words.split(' '))
      assert.deepEqual([refused.code, refused.stdout], [2, ''], words)
      assert.match(refused.stderr, /works on the database alone/)
      const combined = await direct('devices', 'export', '--listed', ...words.split(' '))
      assert.equal(combined.code, 2, words)
      assert.equal((await direct('devices', 'export', ...words.split(' '))).code, 0, words)
    }
    for (const words of [['--json'], ['devices.xlsx']]) {
      assert.deepEqual(await over('devices', 'export', ...words), await direct('devices', 'export', ...words))
    }
  })

  test('Guarantee: an export that breaks off leaves no file that looks whole', async () => {
    const file = join(home, 'whole.json')
    assert.equal((await direct('devices', 'export', file, '--listed')).code, 0)
    const [row] = JSON.parse(await readFile(file, 'utf8'))
    const token = join(home, 'token')
    await writeFile(token, 'AgEU')
    await eachBrokenTransfer(`${JSON.stringify(row)}\n`, async (url, name) => {
      const broken = join(home, `${name}.csv`)
      const credential = { RATAFIA_TOKEN_FILE: token }
      const { code, stdout, stderr } = await at(url, ['devices', 'export', broken, '--listed'], credential)
      assert.ok(code === 1 || code === 3, `${name}: ${code} ${stderr}`)
      assert.equal(stdout, '')
      const left = (await readdir(home)).filter((one) => one.startsWith(name))
      assert.deepEqual(left, [], name)
    })
  })
})
