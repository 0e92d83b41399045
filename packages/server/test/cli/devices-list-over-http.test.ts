/** `ratafia devices list`, `counts` and `export` print the same bytes over HTTP as on the database. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { DeviceFilterSchema } from '@ratafia/api/schemas'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { DEVICE_STATUSES, type Device } from '../../src/devices/device.ts'
import { eachBrokenTransfer } from '../support/broken-transfers.ts'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { overHttp } from '../support/over-http.ts'
import { testProgram } from '../support/program.ts'
import { addDevices } from '../support/register.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000
const DEVICES = 120

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const there = overHttp(program)
  let register: readonly Device[]
  let token: string

  before(async () => {
    const { service } = there
    await withAcme({ ...service.installation, clock: service.now })
    token = await there.tokenOf('viewer acme-brand')
    register = await addDevices(
      service,
      Array.from({ length: DEVICES }, (_, index) => ({
        ...{ model: `m${index % 2}`, deviceKeyId: Buffer.alloc(48, index).toString('base64url') },
        ...{ registeredAt: new Date(START + index * HOUR), serial: `L-${String(index).padStart(3, '0')}` },
        id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId,
        status: DEVICE_STATUSES[index % 5] ?? 'active',
        quarantinedAt: index % 9 === 0 ? new Date(START) : null,
      })),
    )
    const { query } = service.installation.database
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

  const over = (words: string) => there.over(`devices ${words}`, token)
  const direct = (words: string) => program.run(`devices ${words}`)
  /** Returns what the command prints in both modes. */
  const printed = async (words: string) => {
    const [here, other] = await Promise.all([direct(words), over(words)])
    assert.deepEqual([here.code, other.code], [0, 0], `${here.stderr}${other.stderr}`)
    assert.equal(other.stdout, here.stdout)
    return here.stdout
  }

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
      const lines = (await printed(`list ${words}`)).split('\n').length
      assert.ok(lines > (words.includes('nothing') ? 1 : 2) || words.includes('--json'))
    })
  }

  test('--all lists every device, and cannot be combined with --limit', async () => {
    assert.equal(JSON.parse((await over('list --all --json')).stdout).length, DEVICES)
    await program.refuses(
      'devices list --all --limit 3',
      /'--all' cannot be used with option '--limit <number>'/,
      2,
    )
  })

  test('a list without options begins with the newest device', async () => {
    const listed: readonly Pick<Device, 'id'>[] = JSON.parse((await over('list --json')).stdout)
    const newest = register.toReversed().slice(0, 100)
    assert.deepEqual(
      listed.map(({ id }) => id),
      newest.map(({ id }) => id),
    )
  })

  test('every filter of the operation has an option of the same name', async () => {
    const { name: _, ...filters } = DeviceFilterSchema.properties
    const { stdout } = await direct('list --help')
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
      assert.equal(await printed(`list ${words}`), `${says}\n`)
    })
  }

  for (const [words, says] of [
    ['--address nowhere', /--address nowhere is neither an address nor a network/],
    ['--past-address 192.0.2', /past_address"? is not an IP address/],
    ['--registered-since x', /--registered-since x is not a time/],
    ['--evidence-kind twins', /Allowed choices are second-chain, forked-chain, two-chains, second-key/],
    ['--sort size', /Allowed choices are -registered, registered, serial, -seen, seen, -evidence/],
  ] as const) {
    test(`devices list ${words}: both modes refuse the filter`, async () => {
      for (const way of [direct, over]) {
        const { code, stdout, stderr } = await way(`list ${words}`)
        assert.deepEqual([code === 0, stdout], [false, ''])
        assert.match(stderr, says)
      }
    })
  }

  test('devices counts prints the same in both modes', async () => {
    for (const words of ['--json', '--brand acme-brand', '--brand other']) await printed(`counts ${words}`)
    const stdout = await printed('counts')
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
    for (const listed of ['', '--listed ']) {
      test(`devices export ${listed}${words} prints the same in both modes`, async () => {
        const all = `export ${listed}${words}`
        const here = await direct(all)
        assert.deepEqual([here.code, here.stderr], [0, ''])
        assert.deepEqual(await over(all), here)
        assert.ok(here.stdout.split('\n').length > (words.includes('other') ? 1 : 5), here.stdout)
      })
    }
  }

  test('devices export writes the same file in both modes', async () => {
    const [here = '', file = ''] = ['here.json', 'there.json'].map((name) => join(there.home, name))
    const told = await direct(`export ${here} --json`)
    const answer = await over(`export ${file} --json`)
    assert.deepEqual(JSON.parse(answer.stdout), { exported: DEVICES, file })
    assert.equal(answer.stdout, told.stdout.replace(here, file))
    const text = await readFile(file, 'utf8')
    assert.equal(text, await readFile(here, 'utf8'))
    assert.deepEqual(
      JSON.parse(text).map(({ id }: Pick<Device, 'id'>) => id),
      register.map(({ id }) => id),
    )
    for (const words of ['--json', 'devices.xlsx']) {
      assert.deepEqual(await over(`export ${words}`), await direct(`export ${words}`))
    }
  })

  test('Guarantee: an interrupted export leaves no file that looks complete', async () => {
    const file = join(there.home, 'whole.json')
    assert.equal((await direct(`export ${file} --listed`)).code, 0)
    const [row] = JSON.parse(await readFile(file, 'utf8'))
    const other = join(there.home, 'other-token')
    await writeFile(other, 'AgEU')
    await eachBrokenTransfer(`${JSON.stringify(row)}\n`, async (url, name) => {
      const broken = join(there.home, `${name}.csv`)
      const { code, stdout, stderr } = await there.over(`devices export ${broken} --listed`, other, url)
      assert.ok(code === 1 || code === 3, `${name}: ${code} ${stderr}`)
      assert.equal(stdout, '')
      const left = (await readdir(there.home)).filter((one) => one.startsWith(name))
      assert.deepEqual(left, [], name)
    })
  })
})
