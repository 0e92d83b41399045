/** `ratafia devices list` and `export`: the register searched and sorted, and the clones in it. */
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type DeviceId, newDeviceId, newDeviceSessionId } from '@ratafia/api'
import type { CloneEvidenceKind } from '../../src/devices/clones/clone-evidence.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import type { Installation } from '../../src/installation.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME } from '../support/devices.ts'
import { testProgram } from '../support/program.ts'

interface Made {
  readonly serial: string
  readonly key: string
  readonly registered: string
  /** When it opened sessions, and from where. */
  readonly sessions?: readonly (readonly [at: string, address: string])[]
  readonly registeredFrom?: string
  readonly evidence?: readonly (readonly [kind: CloneEvidenceKind, times: number, lastSeen: string])[]
  readonly quarantined?: boolean
}

/** In the order of their entry. Serial numbers that a linguistic order would put elsewhere; registrations out of order. */
const FLEET: readonly Made[] = [
  { serial: 'AC-1', key: 'abc', registered: '2026-03-01', sessions: [['2026-05-01', '192.0.2.1']] },
  { serial: 'ac-1', key: 'abd', registered: '2026-01-01', registeredFrom: '2001:db8::1' },
  {
    serial: 'AC-10',
    key: 'xyz',
    registered: '2026-02-01',
    sessions: [
      ['2026-04-01', '192.0.2.1'],
      ['2026-06-01', '192.0.2.2'],
    ],
    evidence: [
      ['two-chains', 3, '2026-06-02'],
      ['second-key', 1, '2026-06-09'],
    ],
    quarantined: true,
  },
  { serial: 'AC%2', key: 'xy0', registered: '2026-02-01', evidence: [['second-key', 2, '2026-02-03']] },
  { serial: 'B', key: 'zzz', registered: '2026-04-01', sessions: [['2026-05-01', '192.0.2.3']] },
]

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  const ids = new Map<string, DeviceId>()
  before(async () => {
    installation = await program.open()
    for (const made of FLEET) ids.set(made.serial, await add(made, installation))
  })
  const list = (...words: readonly string[]) => program.json('devices', 'list', ...words)
  const serials = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await list(...words)).map(({ serial }: { serial: string }) => serial)
  const refuses = async (words: readonly string[], message: RegExp, code = 2) => {
    const finished = await program.run(['devices', 'list', ...words])
    assert.deepEqual([finished.code, finished.stdout], [code, ''], finished.stderr)
    assert.match(finished.stderr, message)
  }

  describe('filters', () => {
    const FILTERS: Readonly<Record<string, readonly string[]>> = {
      '--serial-prefix AC': ['AC%2', 'AC-10', 'AC-1'],
      '--serial-prefix AC-1': ['AC-10', 'AC-1'],
      '--serial-prefix AC%': ['AC%2'],
      '--serial-prefix a': ['ac-1'],
      '--serial-prefix _': [],
      '--key-prefix ab': ['ac-1', 'AC-1'],
      '--key-prefix xy': ['AC%2', 'AC-10'],
      '--registered-after 2026-02-01T00:00:00Z': ['B', 'AC%2', 'AC-10', 'AC-1'],
      '--registered-before 2026-02-01T00:00:00Z': ['ac-1'],
      '--registered-after 2026-02-01T00:00:00Z --registered-before 2026-03-01T00:00:00Z': ['AC%2', 'AC-10'],
      '--registered-after 1d': [],
      // Of the last one: AC-10 had an earlier session too.
      '--session-after 2026-05-01T00:00:00Z': ['B', 'AC-10', 'AC-1'],
      '--session-before 2026-05-02T00:00:00Z': ['B', 'AC-1'],
      '--session-after 2026-05-02T00:00:00Z --session-before 2026-07-01T00:00:00Z': ['AC-10'],
      '--without-session': ['AC%2', 'ac-1'],
      '--address 192.0.2.1': ['AC-10', 'AC-1'],
      '--address ::ffff:192.0.2.2': ['AC-10'],
      '--address 2001:0DB8:0::1': ['ac-1'],
      '--clones': ['AC%2', 'AC-10'],
      '--clones second-key': ['AC%2', 'AC-10'],
      '--clones two-chains': ['AC-10'],
      '--clones forked-chain': [],
      '--quarantined --serial-prefix AC': ['AC-10'],
      '--model acme-brand/acme-classic --status active --clones --address 192.0.2.2': ['AC-10'],
    }
    for (const [filter, expected] of Object.entries(FILTERS)) {
      test(`${filter}: ${expected.join(', ') || 'none'}`, async () => {
        const words = filter.split(' ')
        assert.deepEqual(await serials(...words), expected)
      })
    }

    test('an export takes the same ones', async () => {
      const filter = '--serial-prefix AC --session-after 2026-05-01T00:00:00Z --address 192.0.2.1'.split(' ')
      const file = join(program.directory, 'found.json')
      assert.equal((await program.json('devices', 'export', file, ...filter, '--clones')).exported, 1)
      const [{ serial, clone_evidence }] = JSON.parse(await readFile(file, 'utf8'))
      assert.deepEqual([serial, JSON.parse(clone_evidence).length], ['AC-10', 2])
      const all = await program.run(['devices', 'export', '--sort', 'serial'])
      assert.match(all.stderr, /Unknown option '--sort'/)
    })

    test('what no device can have is refused', async () => {
      await refuses(['--address', '192.0.2'], /--address 192\.0\.2 is not an IP address\.\n$/)
      await refuses(['--registered-after', 'x'], /--registered-after x is not a time/)
      await refuses(['--session-before', '2026'], /--session-before 2026 is not a time/)
      await refuses(
        ['--clones', 'twins'],
        /Allowed choices are second-chain, forked-chain, two-chains, second-key/,
      )
      await refuses(
        ['--without-session', '--session-after', '1d'],
        /--without-session cannot be combined with --session-after/,
      )
    })
  })

  describe('orders', () => {
    const ORDERS: Readonly<Record<string, readonly string[]>> = {
      entered: ['B', 'AC%2', 'AC-10', 'ac-1', 'AC-1'],
      registered: ['B', 'AC-1', 'AC%2', 'AC-10', 'ac-1'],
      serial: ['AC%2', 'AC-1', 'AC-10', 'B', 'ac-1'],
      session: ['AC-10', 'B', 'AC-1', 'AC%2', 'ac-1'],
    }
    for (const [order, expected] of Object.entries(ORDERS)) {
      test(`${order}, and the opposite; pages of any size make up the whole list`, async () => {
        assert.deepEqual(await serials('--sort', order), expected)
        assert.deepEqual(await serials('--sort', order, '--reverse'), expected.toReversed())
        assert.deepEqual(await paged(['--sort', order], '2'), expected)
        assert.deepEqual(await paged(['--sort', order, '--reverse'], '1'), expected.toReversed())
      })
    }

    test('pages of what a filter leaves', async () => {
      const words = ['--serial-prefix', 'AC', '--sort', 'session']
      assert.deepEqual(await paged(words, '1'), ['AC-10', 'AC-1', 'AC%2'])
    })

    /** All pages, as the note at the end of each leads to the next. */
    async function paged(words: readonly string[], limit: string): Promise<readonly string[]> {
      const found: string[] = []
      for (let next: readonly string[] = []; ; ) {
        const { stdout, stderr } = await program.run(['devices', 'list', ...words, '--limit', limit, ...next])
        const [titles = '', ...lines] = stdout.trimEnd().split('\n')
        const column = titles.indexOf('SERIAL')
        found.push(...lines.map((line) => line.slice(column).split(' ')[0] ?? ''))
        const [, before] = /^There are more: --before (\S+) shows the next \d\.\n$/.exec(stderr) ?? []
        assert.ok(before !== undefined || stderr === '', stderr)
        if (before === undefined) return found
        next = ['--before', before]
      }
    }

    test('a page sorted by session goes on where it was, though the device has had a session since', async () => {
      const [first] = await list('--sort', 'session', '--limit', '1')
      const position = `${first.id}@${first.last_session_at}`
      await session(installation, first.id, '2026-07-01', '192.0.2.9')
      assert.deepEqual(await serials('--sort', 'session', '--before', position, '--limit', '1'), ['B'])
      await refuses(['--sort', 'session', '--before', first.id], /begins after ID@TIME/)
      await refuses(['--before', position], /has a time, which only --sort session needs/)
      await refuses(['--sort', 'session', '--before', `${first.id}@x`], /begins after ID@TIME/)
    })

    test('a page after a device that is not there', async () => {
      const gone = '019e3b7c-0f6e-7c42-9d0a-3f5c1d2e4b6a'
      for (const order of ['registered', 'serial']) {
        await refuses(
          ['--sort', order, '--before', gone],
          /is not in the register, so nothing comes after/,
          1,
        )
      }
      await refuses(['--before', 'x'], /--before x is not the id of a device/)
    })
  })

  test('the last session and its address are shown where they are asked for', async () => {
    const text = async (...words: readonly string[]) => {
      const { code, stdout } = await program.run(['devices', 'list', '--serial', 'AC-1', ...words])
      assert.equal(code, 0)
      return stdout
    }
    assert.doesNotMatch(await text(), /LAST SESSION/)
    for (const words of [
      ['--last-session'],
      ['--sort', 'session'],
      ['--session-after', '2026-01-01T00:00:00Z'],
    ]) {
      assert.match(
        await text(...words),
        /LAST SESSION AT +LAST ADDRESS\n.* 2026-05-01T00:00:00\.000Z +192\.0\.2\.1\n$/,
      )
    }
    const [never] = await list('--serial', 'ac-1', '--last-session')
    assert.deepEqual([never.last_session_at, never.last_address], [null, null])
  })

  test('--columns: any that a row has, in the order given, and nothing that there is not', async () => {
    const chosen = (names: string, ...words: readonly string[]) =>
      program.run(['devices', 'list', '--columns', names, ...words])
    const { stdout } = await chosen('last address,serial,clone_times', '--serial', 'AC-1')
    assert.match(stdout, /^LAST ADDRESS +SERIAL +CLONE TIMES\n192\.0\.2\.1 +AC-1 +0\n$/)
    const [row] = await list('--clones', '--last-session')
    const names = Object.keys(row)
    assert.ok(names.includes('clone_times') && names.includes('last_address'))
    assert.equal((await chosen([...names, 'address'].join(','))).code, 0)
    const none = await chosen('serial,adress', '--serial', 'no-such-device')
    assert.deepEqual([none.code, none.stdout], [2, ''])
    assert.match(
      none.stderr,
      /^ratafia: --columns serial,adress: there is no column adress\. There are id, brand_id, /,
    )
  })

  test('clones are listed with the kinds of evidence, how often, and when they were last seen', async () => {
    const { stdout } = await program.run(['devices', 'list', '--clones', '--sort', 'serial'])
    assert.match(stdout, /CLONE KINDS +CLONE TIMES +CLONE LAST SEEN AT\n/)
    const [one, two] = await list('--clones', '--sort', 'serial')
    assert.deepEqual(
      [one.serial, one.clone_kinds, one.clone_times, one.clone_last_seen_at],
      ['AC%2', 'second-key', 2, '2026-02-03T00:00:00.000Z'],
    )
    assert.deepEqual(
      [two.serial, two.clone_kinds, two.clone_times, two.clone_last_seen_at],
      ['AC-10', 'second-key two-chains', 4, '2026-06-09T00:00:00.000Z'],
    )
  })

  test('a device whose sessions were all removed still says when it had its last', async () => {
    const { deviceSessions } = installation
    await session(installation, ids.get('B'), '2026-05-20', '192.0.2.4')
    // One at a time: the newest of a device goes last.
    while ((await deviceSessions.removeExpired(new Date('2026-06-30'), 1)) > 0);
    const [silent] = await list('--serial', 'B', '--last-session')
    assert.deepEqual([silent.last_session_at, silent.last_address], ['2026-05-20T00:00:00.000Z', null])
    assert.deepEqual(await serials('--session-before', '2026-05-21T00:00:00Z'), ['B', 'AC-1'])
    assert.deepEqual(await serials('--without-session'), ['AC%2', 'ac-1'])
    // This one had a newer session, which is still there.
    const [alive] = await list('--serial', 'AC-10', '--last-session')
    assert.deepEqual([alive.last_session_at, alive.last_address], ['2026-07-01T00:00:00.000Z', '192.0.2.9'])
  })
})

async function add(made: Made, installation: Installation): Promise<DeviceId> {
  const { devices, registrations, clones } = installation
  const device = newDevice({
    // Ids are in the order of entry.
    id: newDeviceId(installation.clock()),
    ...ACME,
    serial: made.serial,
    deviceKeyId: made.key.padEnd(64, '-'),
    status: 'active',
    revision: 0,
    origin: 'import',
    registeredAt: new Date(made.registered),
    decidedAt: new Date(made.registered),
    decidedBy: 'operator',
  })
  assert.ok(await devices.add(device))
  const { id, bucket } = device
  for (const [at, address] of made.sessions ?? []) await session(installation, id, at, address)
  if (made.registeredFrom !== undefined) {
    const caller = { address: made.registeredFrom, userAgent: 'snapd' }
    const hashes = { requestIdHash: randomBytes(32), requestHash: randomBytes(32) }
    await registrations.add({ ...hashes, deviceId: id, bucket, at: new Date(made.registered), caller })
  }
  for (const [kind, times, lastSeen] of made.evidence ?? []) {
    for (let i = 0; i < times; i++) {
      await clones.record({
        deviceId: id,
        bucket,
        kind,
        subject: 'other',
        details: {},
        at: new Date(lastSeen),
      })
    }
  }
  if (made.quarantined) await devices.setQuarantine(device, new Date())
  return id
}

async function session(
  { deviceSessions, devices }: Installation,
  deviceId: DeviceId | undefined,
  at: string,
  address: string,
): Promise<void> {
  const id = newDeviceSessionId(new Date())
  const device = deviceId && (await devices.findById(deviceId))
  assert.ok(device)
  // As long as it is in quarantine it gets none.
  if (device.quarantinedAt) await devices.setQuarantine(device, null)
  const openedAt = new Date(at)
  const stored = await deviceSessions.add({
    id,
    deviceId: device.id,
    bucket: device.bucket,
    chainId: id,
    previousId: null,
    nonceHash: randomBytes(32),
    requestHash: randomBytes(32),
    macaroonId: randomBytes(randomInt(20, 40)),
    store: null,
    openedAt,
    expiresAt: new Date(openedAt.getTime() + 86_400_000),
    caller: { address, userAgent: 'snapd' },
  })
  assert.ok(stored)
  if (device.quarantinedAt) await devices.setQuarantine(device, device.quarantinedAt)
}
