/** `ratafia devices list`, `counts` and `export` print the same bytes over HTTP as on the database. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { DeviceFilterSchema } from '@ratafia/api/schemas'
import { bucketOf } from '../../src/bucket.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { DEVICE_STATUSES, type Device } from '../../src/devices/device.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { eachBrokenTransfer } from '../support/broken-transfers.ts'
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
    // Pending devices registered from the address where they were last seen.
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

  const LISTS = [
    '--sort registered',
    '--sort -registered --limit 7',
    '--all',
    '--sort serial --status pending',
    '--sort serial --model acme-brand/m1 --quarantined',
    '--sort registered --serial-prefix L-01 --json',
    '--sort serial --registered-since 2026-01-03T00:00:00Z --registered-until 2026-01-04T00:00:00Z',
    '--sort -seen --limit 20',
    '--sort seen --json',
    '--sort -evidence',
    '--search 01 --json',
    '--search -01 --brand acme-brand --brand other',
    '--session-since 7d --json',
    '--without-session --status active --status revoked',
    '--past-address 192.0.2.1 --sort serial',
    '--evidence --evidence-kind second-key --json',
    '--origin import --decided-by operator --json',
    '--never-seen --sort serial',
    '--address 192.0.2.0/24 --status active',
    '--seen-since 2026-01-02T00:00:00Z --seen-until 2026-01-03T00:00:00Z --sort serial --json',
    '--sort seen --columns id,last_seen_at,evidence_at',
    '--serial nothing --sort serial',
  ]
  for (const words of LISTS) {
    test(`devices list ${words} prints the same in both modes`, async () => {
      const [here, there] = await Promise.all(
        [direct, over].map((way) => way('devices', 'list', ...words.split(' '))),
      )
      assert.deepEqual([here?.code, there?.code], [0, 0], `${here?.stderr}${there?.stderr}`)
      assert.equal(there?.stdout, here?.stdout)
      const rows = words.includes('nothing') ? 1 : 2
      assert.ok((here?.stdout.split('\n').length ?? 0) > rows || words.includes('--json'), here?.stdout)
    })
  }

  test('--all lists every device, and cannot be combined with --limit', async () => {
    assert.equal(
      JSON.parse((await over('devices', 'list', '--all', '--json')).stdout).length,
      register.length,
    )
    const both = await over('devices', 'list', '--all', '--limit', '3')
    assert.deepEqual([both.code, both.stdout], [2, ''])
    assert.match(both.stderr, /'--all' cannot be used with option '--limit <number>'/)
  })

  test('a list without options begins with the newest device', async () => {
    const { stdout } = await over('devices', 'list', '--json')
    const newest = register.toReversed().slice(0, 100)
    assert.deepEqual(
      JSON.parse(stdout).map(({ id }: { id: string }) => id),
      newest.map(({ id }) => id),
    )
  })

  test('every filter of the operation has an option of the same name', async () => {
    const { name: _, ...filters } = DeviceFilterSchema.properties
    const { stdout } = await direct('devices', 'list', '--help')
    for (const filter of Object.keys(filters)) {
      const option = filter === 'q' ? '--search' : `--${filter.replaceAll('_', '-')}`
      assert.match(stdout, new RegExp(`^  ${option}[ \n]`, 'm'))
    }
  })

  for (const [words, says] of [
    ['--search NN-9', 'No device has a serial that contains "NN-9".'],
    [
      '--search NN-9-NN-9 --brand acme-brand --brand other --quarantined',
      'No device with a serial that contains "NN-9-NN-9", or a key that begins with it, matches --brand acme-brand, other --quarantined.',
    ],
    ['--serial nothing', 'No device matches --serial nothing.'],
  ] as const) {
    test(`devices list ${words}: an empty list shows the search`, async () => {
      const all = ['devices', 'list', ...words.split(' ')]
      for (const way of [direct, over]) assert.equal((await way(...all)).stdout, `${says}\n`)
    })
  }

  test('refuses invalid filters', async () => {
    for (const [words, says] of [
      ['--address nowhere', /--address nowhere is neither an address nor a network/],
      ['--past-address 192.0.2', /past_address"? is not an IP address/],
      ['--registered-since x', /--registered-since x is not a time/],
      ['--evidence-kind twins', /Allowed choices are second-chain, forked-chain, two-chains, second-key/],
      ['--sort size', /Allowed choices are -registered, registered, serial, -seen, seen, -evidence/],
    ] as const) {
      for (const way of [direct, over]) {
        const { code, stdout, stderr } = await way('devices', 'list', ...words.split(' '))
        assert.deepEqual([code === 0, stdout], [false, ''], words)
        assert.match(stderr, says)
      }
    }
  })

  test('devices counts prints the same in both modes', async () => {
    for (const words of [[], ['--json'], ['--brand', 'acme-brand'], ['--brand', 'other']]) {
      const [here, there] = await Promise.all([direct, over].map((way) => way('devices', 'counts', ...words)))
      assert.deepEqual([here?.code, there?.code], [0, 0], `${here?.stderr}${there?.stderr}`)
      assert.equal(there?.stdout, here?.stdout)
    }
    const { stdout } = await over('devices', 'counts')
    assert.match(stdout, /^BRAND ID +MODEL +STATUS +DEVICES\nacme-brand +m0 +active +12\n/)
    assert.match(stdout, /\n120 in all, counted at .*\nPending at the moment: 24\. In quarantine: 14\.\n$/)
  })
  const EXPORTS = [
    '',
    '--format json',
    '--format csv --status pending',
    '--model acme-brand/m1 --quarantined --format json',
    '--serial-prefix L-01 --registered-since 2026-01-01T12:00:00Z',
    '--evidence',
    '--search 01',
    '--brand other',
    '--brand other --format json',
  ]
  for (const words of EXPORTS) {
    for (const listed of [[], ['--listed']]) {
      test(`devices export ${[...listed, words].join(' ')} prints the same in both modes`, async () => {
        const all = ['devices', 'export', ...listed, ...words.split(' ').filter(Boolean)]
        const here = await direct(...all)
        assert.deepEqual([here.code, here.stderr], [0, ''])
        assert.deepEqual(await over(...all), here)
        assert.ok(here.stdout.split('\n').length > (words.includes('other') ? 1 : 5), here.stdout)
      })
    }
  }

  test('devices export writes the same file in both modes', async () => {
    const [here = '', there = ''] = ['here.json', 'there.json'].map((name) => join(home, name))
    const told = await direct('devices', 'export', here, '--json')
    const answer = await over('devices', 'export', there, '--json')
    assert.deepEqual(JSON.parse(answer.stdout), { exported: DEVICES, file: there })
    assert.equal(answer.stdout, told.stdout.replace(here, there))
    assert.equal(await readFile(there, 'utf8'), await readFile(here, 'utf8'))
    const rows: readonly { readonly id: string }[] = JSON.parse(await readFile(there, 'utf8'))
    assert.deepEqual(
      rows.map(({ id }) => id),
      register.map(({ id }) => id),
    )
    for (const words of [['--json'], ['devices.xlsx']]) {
      assert.deepEqual(await over('devices', 'export', ...words), await direct('devices', 'export', ...words))
    }
  })

  test('Guarantee: an interrupted export leaves no file that looks complete', async () => {
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
