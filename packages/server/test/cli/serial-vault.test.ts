/**
 * `ratafia import serial-vault` imports the same devices once, regardless of the format of the dump. The data is
 * invented. Formats and refusals are tested on SQLite only, because reading a dump does not depend on the database.
 */
import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useApiKey } from '../../src/brands/models/api-keys/use-api-key.ts'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import type { Installation } from '../../src/installation.ts'
import { addModel } from '../support/as-operator.ts'
import { addAcme, addTestRoot, testKey, vector } from '../support/brands.ts'
import { casesIn } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, freshDeviceKeys, register } from '../support/devices.ts'
import { testProgram } from '../support/program.ts'

const data = (name: string) => fileURLToPath(new URL(`../data/serial-vault/${name}`, import.meta.url))
const FORMS = ['copy.sql', 'inserts.sql', 'column-inserts.sql', 'sqlite.sql', 'csv']
const API_KEY = 'synthetic-api-key-0001'

type Shown = {
  id: string
  serial: string
  device_key_id: string
  status: string
  revision: number
  model: string
}

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  before(async () => {
    installation = await program.open()
    await addTestRoot(installation)
  })
  const { json, says, refuses } = program
  const vault = (words: string) => json(`import serial-vault ${words}`)
  const devices = (): Promise<Shown[]> => json('devices list')

  if (kind === 'sqlite')
    test('--dry-run prints the same for every format of dump, and changes nothing', async () => {
      const told = []
      for (const form of FORMS) told.push(await vault(`${data(form)} --dry-run`))
      const [first, ...others] = told
      assert.equal(first.dry_run, true)
      const placeless = (all: object) => JSON.stringify(all).replaceAll(/[^ "(]+?, line \d+/g, 'PLACE')
      for (const other of others) assert.equal(placeless(other), placeless(first))
      assert.deepEqual(await devices(), [])
      assert.equal(await installation.assertions.find('account', 'acme-brand'), undefined)
      await says(
        `import serial-vault ${data('copy.sql')} --dry-run`,
        /^Nothing was changed\. An import would add:\n {2}accounts and keys: 2; 0 already present\n/,
      )
    })

  test('imports devices and assertions, prints the next steps, and a second import changes nothing', async () => {
    const imported = await vault(data('copy.sql'))
    assert.deepEqual(imported.assertions, { added: 2, unchanged: 0 })
    assert.deepEqual(imported.devices, { active: 6, superseded: 2, updated: 0, unchanged: 0 })
    assert.equal(imported.signatures, 9)
    const matchEach = (lines: readonly string[], patterns: readonly RegExp[]) => {
      assert.equal(lines.length, patterns.length)
      for (const [at, pattern] of patterns.entries()) assert.match(lines[at] ?? '', pattern)
    }
    matchEach(imported.duplicates, [
      /^The serial A-0002 of acme-brand\/acme-classic was signed for the key .*, which has it now\.$/,
      /^The key .* was given the serial A-0003 \(revision 1, .*\) and A-0004 .*, which it has now\.$/,
    ])
    const skipped = imported.skipped.join('\n')
    assert.match(skipped, /line \d+: "fingerprint" is not the id of a device key\./)
    assert.match(skipped, /the account of other-brand is not imported: .* is not valid/)
    assert.match(skipped, /the account of empty-brand has no assertion\./)
    assert.equal(imported.skipped.length, 3)
    const todo = imported.todo.join('\n')
    assert.match(todo, /Add the signing key .* of acme-brand \(serials\) by hand/)
    assert.match(todo, /Add the model acme-brand\/acme-classic: .*import again for its API key\./)
    assert.match(todo, /models allow-remodel acme-brand\/acme-classic acme-brand\/acme-gadget/)

    const before = await devices()
    assert.deepEqual(
      before.map(({ model, serial, status, revision }) => `${model} ${serial} ${status} ${revision}`).sort(),
      [
        ...[
          'acme-classic A-0001 active 1',
          'acme-classic A-0002 active 2',
          'acme-classic A-0002 superseded 1',
        ],
        ...[
          'acme-classic A-0003 superseded 1',
          'acme-classic A-0004 active 1',
          'acme-classic A-0005 active 2',
        ],
        ...["acme-classic it's; A\\6 active 1", 'acme-gadget A-0001 active 1'],
      ],
    )

    const again = await vault(data('inserts.sql'))
    assert.deepEqual(again.assertions, { added: 0, unchanged: 2 })
    assert.deepEqual(again.devices, { active: 0, superseded: 0, updated: 0, unchanged: 8 })
    assert.deepEqual(again.conflicts, [])
    assert.deepEqual(await devices(), before)
  })

  test('records every duplicate once, as evidence of a second key', async () => {
    const rows: Shown[] = await json('devices list --serial A-0002')
    const [active, superseded] = rows.sort((one, other) => one.status.localeCompare(other.status))
    const shown = await json(`devices show ${active?.id}`)
    assert.deepEqual(
      [shown.origin, shown.decided_by, shown.registered_at],
      ['import', 'serial-vault', '2018-03-02T10:02:00.000Z'],
    )
    const evidence = ({ clone_evidence }: { clone_evidence: Record<string, unknown>[] }) =>
      clone_evidence.map(({ kind, subject, times }) => [kind, subject, times])
    assert.deepEqual(evidence(shown), [['second-key', superseded?.device_key_id, 1]])
    assert.equal(shown.others[0].id, superseded?.id)
    const moved = await json('devices show acme-brand/acme-classic/A-0004')
    assert.deepEqual(evidence(moved), [['second-key', 'A-0003', 1]])
  })

  test('with the model, the API key is imported and accepted, and a device gets the next revision', async () => {
    await addAcme(installation)
    const imported = await vault(data('csv'))
    assert.deepEqual(imported.api_keys, { added: 1, unchanged: 0 })
    assert.deepEqual((await vault(data('csv'))).api_keys, { added: 0, unchanged: 1 })
    // The API key is stored only as a hash.
    const stored = JSON.stringify(
      await installation.database.query.selectFrom('api_key').selectAll().execute(),
    )
    assert.doesNotMatch(stored, new RegExp(API_KEY))
    const shows = (text: string) => useApiKey({ text, model: ACME }, installation, installation.clock())
    assert.equal((await shows('another-api-key-0001')).accepted, false)
    assert.equal((await shows(API_KEY)).accepted, true)

    const service = await program.start()
    const requestHeaders = { 'api-key': API_KEY }
    try {
      const { status, serial, body } = await register(service, {
        ...{ key: testKey('device'), serial: 'A-0001', requestHeaders },
      })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([serial?.fields.serial, serial?.revision], ['A-0001', 2])
      // The revisions also continue for a serial that no device has any more.
      const [key] = await freshDeviceKeys(1)
      assert.ok(key)
      const free = await register(service, { key, serial: 'A-0003', requestHeaders })
      assert.deepEqual([free.status, free.serial?.revision], [200, 2])
    } finally {
      await service.end('SIGTERM')
    }
    // The dump is now older than the register, whose rows stay unchanged.
    const again = await vault(data('copy.sql'))
    assert.deepEqual(again.devices, { active: 0, superseded: 0, updated: 0, unchanged: 8 })
    const shown = await json('devices show acme-brand/acme-classic/A-0001')
    assert.deepEqual([shown.status, shown.revision, shown.assertions.length], ['active', 2, 1])
  })

  test('an API key of two models is accepted for both', async () => {
    const policy = { registration: 'auto', ...DEFAULT_POLICY } as const
    await addModel({ file: vector('world/model-acme-gadget'), policy }, installation)
    assert.deepEqual((await vault(data('copy.sql'))).api_keys, { added: 1, unchanged: 1 })
    const gadget = { ...ACME, model: 'acme-gadget' }
    assert.equal(
      (await useApiKey({ text: API_KEY, model: gadget }, installation, installation.clock())).accepted,
      true,
    )
  })

  test('a later dump updates the register, except for devices that have changed here since', async () => {
    const rows = (await readFile(data('csv/signinglog.csv'), 'utf8')).trimEnd().split('\n')
    const line = (serial: string) => rows.findLast((row) => row.includes(`,${serial},`)) ?? ''
    const key = (name: string) => Buffer.from(name.padEnd(48, '.')).toString('base64url')
    const signed = (id: number, serial: string, fingerprint: string, revision: number) =>
      `${id},acme-brand,acme-classic,${serial},${fingerprint},2019-01-01 00:00:00,${revision},0`
    const later = join(program.directory, 'later')
    await cp(data('csv'), later, { recursive: true })
    const more = [
      signed(11, 'A-0005', key('new owner'), 3),
      signed(12, 'A-0009', key('new device'), 1),
      signed(13, 'A-0001', key('thief'), 5),
      line('A-0004').replace('2018-03-05', '2019-03-05').replace(',1,0', ',2,0').replace(/^\d+/, '14'),
    ]
    await writeFile(join(later, 'signinglog.csv'), `${[...rows, ...more].join('\n')}\n`)
    const imported = await vault(later)
    // A-0009 is new, A-0005 has a new key, A-0004 has a different revision.
    assert.deepEqual(
      [imported.devices.active, imported.devices.updated, imported.devices.superseded],
      [2, 2, 1],
    )
    assert.equal(imported.conflicts.length, 1)
    assert.match(
      imported.conflicts[0],
      /^acme-brand\/acme-classic\/A-0001 with the key .* which stays unchanged\.$/,
    )
    const holder = await json('devices show acme-brand/acme-classic/A-0005')
    assert.deepEqual([holder.device_key_id, holder.revision], [key('new owner'), 3])
    const unchanged = await vault(later)
    assert.deepEqual([unchanged.devices.active, unchanged.devices.updated], [0, 0])
  })

  const REFUSALS = casesIn(String.raw`
    custom.dump | "PGDMP\u0001" | is a dump in the custom format: .pg_restore --file dump\.sql FILE.
    vault.db | "SQLite format 3\u0000" | is a database: .sqlite3 FILE \.dump.
    dump.sql.gz | "\u001f\u008b\b\u0000" | is compressed
    cut.sql | "COPY public.model (id) FROM stdin;\n1\n" | ends in the middle of a table
    cut2.sql | "INSERT INTO public.model VALUES (1, 'a\n" | ends in the middle of a table
    short.sql | "COPY public.model (id, name) FROM stdin;\n1\n\\.\n" | line 2: 1 values for the 2 columns of model
    nameless.sql | "INSERT INTO model VALUES (1, 'a');\n" | line 1: the columns of model are not named`)
  for (const [name, text = '', message = ''] of kind === 'sqlite' ? REFUSALS : []) {
    test(`refuses ${name}`, async () => {
      const file = join(program.directory, name)
      await writeFile(file, JSON.parse(text), 'latin1')
      await refuses(`import serial-vault ${file}`, new RegExp(message))
    })
  }

  if (kind === 'sqlite')
    test('refuses a missing file, and a file that is not named after a table', async () => {
      await refuses(
        'import serial-vault missing.sql',
        'ratafia: missing.sql cannot be read: there is no such file or directory. Check the path.\n',
      )
      const named = join(program.directory, 'devices.csv')
      await writeFile(named, 'a,b\n')
      await refuses(`import serial-vault ${named}`, /./, 2)
    })
})
