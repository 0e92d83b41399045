/**
 * Commands that work both over HTTP and on the database print the same, ask the same and exit with the same code in
 * both modes. `operations.test.ts` compares the answers of the operations behind them, on every database.
 */
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { linkEntries } from '../../src/audit/link.ts'
import { CLONE_EVIDENCE_KINDS } from '../../src/devices/clones/clone-evidence.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { testKey, vectorPath } from '../support/brands.ts'
import { eachBrokenTransfer } from '../support/broken-transfers.ts'
import { oneDatabase } from '../support/databases.ts'
import { acmeModel, addAcmeModel, deviceKey, register, registered, withAcme } from '../support/devices.ts'
import { giveRoles, managementToken } from '../support/managers.ts'
import { overHttp } from '../support/over-http.ts'
import { type Finished, testProgram } from '../support/program.ts'
import { whileJobsRun } from '../support/running-jobs.ts'
import { addPerson, logIn } from '../support/service.ts'

/**
 * Returns command lines. `LINE <- BEFORE` runs BEFORE on the database ahead of each mode, because the first
 * mode would otherwise leave the second nothing to do.
 */
const linesIn = (text: string): readonly (readonly [line: string, before: string | undefined])[] =>
  text.split(/[;\n]/).flatMap((one) => {
    const [line = '', before] = one.split(' <- ').map((part) => part.trim())
    return line === '' ? [] : [[line, before] as const]
  })

const CLASSIC = 'acme-brand/acme-classic'
const NEW = '--email new@example.org --name New --no-password'
const LONG = `${'x'.repeat(400)}@b.c`
const RULE = '--registration auto'
const LIST = `allow-list remove --model ${CLASSIC}`
const FILL = `allow-list import {list} --model ${CLASSIC}`
const ADD_KEY = `signing-keys add ${vectorPath('world/keys/brand.pem')}`
const GADGET = `models add ${vectorPath('world/model-acme-gadget')} ${RULE}`
const REMODEL = `${CLASSIC} acme-brand/acme-gadget`

const LINES: Readonly<Record<string, string>> = {
  accounts: `
    accounts list; accounts list --json; accounts list --columns username,created_at,password
    accounts show ann; accounts show ann --json; accounts show unknown; accounts show ..
    accounts show '' --json; accounts show a/b; accounts disable ann --yes <- accounts disable ann --yes
    accounts disable ann --yes --json; accounts disable unknown --yes; accounts disable ann
    accounts enable bob --json; accounts enable bob unknown eve; accounts enable bob ../tokens --json
    accounts add ann ${NEW}; accounts add ann ${NEW} --json; accounts add Not-A-Name ${NEW}
    accounts add 'Not A Name' ${NEW}; accounts add ${'x'.repeat(70)} ${NEW}; accounts add '' ${NEW}
    accounts add operator ${NEW}; accounts add new ${NEW} --password-stdin
    accounts add new --no-password --name N --email ''; accounts add new ${NEW} --role king
    accounts add new --no-password --name '' --email n@example.org
    accounts add new --no-password --name N --email 'no address'
    accounts add new --no-password --name N --email ${LONG}; accounts set-email eve eve@example.net
    accounts set-email eve eve@example.net --json; accounts set-email eve ''
    accounts set-email eve ${LONG}; accounts set-email ../tokens nothing
    accounts set-email unknown unknown@example.org; accounts reminders off ann
    accounts reminders off ann --json; accounts reminders on ann bob
    accounts reminders off ann bob --json; accounts reminders off unknown
    accounts reminders off ../tokens`,
  agents: `
    agents list --account ann; agents list --account ann --json; agents list --account bob
    agents list --account ann --columns limits,name; agents list --account unknown
    agents list --account a/b --json; agents list --account ann --mine
    agents remove farm --account bob --yes; agents remove farm --account unknown --yes
    agents remove .. a/b none --account ann --yes --json`,
  'grants and tokens': `
    grants list; grants list --json --role operator; grants add unknown viewer; grants add bob king
    grants remove bob viewer --brand acme-brand <- grants add bob viewer --brand acme-brand
    grants add bob viewer --brand acme-brand <- grants remove bob viewer --brand acme-brand
    grants remove bob auditor; grants remove bob viewer --brand none; tokens list --account ann --include-inactive; tokens list --account unknown
    tokens list --account ann; tokens list --account ann --json
    tokens list --account ann --unused-since 90d; tokens list --account ann --columns limits,manage
    tokens list --unused-since x; tokens revoke x; tokens revoke {session}
    tokens revoke {session} --json; tokens revoke {session} x`,
  brands: `
    brands list; brands list --json; brands show acme-brand; brands show acme-brand --json
    brands show unknown; brands show unknown --json; trust list; trust list --json; signing-keys list
    signing-keys list --json --account acme-brand; signing-keys list --account unknown
    signing-keys disable --yes -- {key}; signing-keys disable --yes --json -- {key}
    signing-keys disable --yes -- ${'x'.repeat(64)}; signing-keys disable --yes -- .. a/b
    signing-keys disable --yes --force -- {key} <- ${ADD_KEY}
    signing-keys disable --yes --force -- {key}
    signing-keys disable --yes --force --json -- {key} <- ${ADD_KEY}
    hardware-identities list <- ${ADD_KEY}`,
  models: `
    models list; models list --json; models list --columns model,warnings; models show ${CLASSIC}
    models show ${CLASSIC} --json; models show acme-brand/none; models show acme-brand/none --json
    models show x; models set-policy ${CLASSIC}; models set-policy ${CLASSIC} --json
    models set-policy ${CLASSIC} --serial-template x --json
    models set-policy acme-brand/none --clones record
    models set-policy ${CLASSIC} --serial-template AC-{number:8} --clones quarantine
    models set-policy ${CLASSIC} --serial-template uuid --clones record --json
    models allow-remodel ${CLASSIC} ${CLASSIC}; models allow-remodel ${CLASSIC} a_b/c
    models allow-remodel ${CLASSIC} x; models disallow-remodel ${REMODEL} --json
    models remove ${CLASSIC}; models remove acme-brand/none x --json; models add {junk} ${RULE}
    models add {home}/absent ${RULE}; models add ${vectorPath('world/account-acme-brand')} ${RULE}
    models add {pi} ${RULE} --serial-template {; models add {pi}; models update {pi}
    models add {pi} ${RULE} --serial-template PI-{number:4} <- models remove acme-brand/acme-pi
    models add {pi} ${RULE}; models add {pi} ${RULE} --json; models update {newer}
    models update {newer} --json; models update {pi}; models update {junk} --json
    models allow-remodel ${REMODEL} --json <- ${GADGET}
    models disallow-remodel ${REMODEL} <- models allow-remodel ${REMODEL}
    models remove acme-brand/acme-gadget <- ${GADGET}`,
  'API keys and allow-lists': `
    api-keys list; api-keys list --json --model ${CLASSIC}; api-keys list --model acme-brand/none
    api-keys add acme-brand/none --label x; api-keys add ${CLASSIC} --label ' '; api-keys revoke nothing
    api-keys revoke {apiKey} nothing; api-keys revoke {apiKey} --json; allow-list list --model ${CLASSIC}
    allow-list list --model ${CLASSIC} --json; ${FILL} <- ${LIST} --all --yes; ${FILL}; ${FILL} --dry-run
    ${LIST} --serial A-1 --dry-run; ${LIST} --serial A-1 --dry-run --json; ${LIST} {list} --dry-run
    ${LIST} --all --dry-run; ${LIST} --all; ${LIST} --serial A-3; ${LIST} --serial A-3 --dry-run --json
    ${LIST} --serial a/b; ${LIST} --device-key-id short; ${LIST} {list} --all
    allow-list remove --model acme-brand/none --serial A-1; allow-list remove --model none --serial A-1
    allow-list import {list} --model acme-brand/none; ${LIST} --serial A-1 <- ${FILL}
    ${LIST} --device-key-id ${'k'.repeat(64)} <- ${FILL}; ${LIST} {list} --json <- ${FILL}
    ${LIST} --all --yes <- ${FILL}`,
  devices: `
    devices show ${CLASSIC}/D-1; devices show {device} --json
    devices show {device} --assertions --limit 3; devices show ${CLASSIC}/NONE; devices show x
    devices show x --json; devices revoke --yes {waits} --json; devices reject {waits} --reason ''
    devices approve ${CLASSIC}/D-2; devices reject {waits} --reason no; devices approve {waits} x
    devices approve --model acme-brand/none; devices release {waits}
    devices approve {waits} --serial D-9 --dry-run --json; devices revoke {waits} --dry-run; devices revoke x --dry-run
    devices revoke --yes {waits} --reason lost; devices approve --file {none}; devices revoke {device}
    devices approve --all --dry-run`,
  'clones, counters and packages': `
    clones list; clones list --json --limit 1; clones list --limit 3
    clones list --kind two-chains --json; clones list --since 2026-01-01T06:00:00Z
    clones list --brand unknown; clones list --limit 0
    clones list --brand acme-brand --columns serial,subject,details; clones list --model acme-brand/other
    clones list --kind third-chain; clones list --since yesterday; counters --name registrations
    counters --period 30d --brand acme-brand --json; counters --brand unknown
    counters --name refusals --period 12mo; counters --name logins --brand acme-brand
    counters --name store-questions; packages list; packages list --json; packages list --columns snap_id`,
  'the audit log': `
    audit list; audit list --json; audit list --limit 2; audit list --limit 2 --json
    audit list --columns id,details,seq; audit list --subject ann --action account.disable --since 1h
    audit list --actor operator --action account.add; audit list --until 1h; audit list --before {entry}
    audit list --before 019e3b7c-0000-7000-8000-000000000000; audit list --action account.paint
    audit list --before x; audit export; audit export --format csv --subject ann; audit export --json
    audit export --until 1h --format csv; audit export audit.xlsx; audit verify --expect x`,
  imports: `
    devices import {lot}.json --dry-run; devices import {lot}.json; devices import {lot}.json --json
    devices import {faults}; devices import {faults} --json; devices import {empty}
    devices import {home}/missing.csv; devices import {home}/no-ending; packages import {packages} --json
    packages import {packages} --dry-run --json; packages import {packages}
    packages import {packages} --replace --yes; hardware-identities import {junk}`,
}

/** Commands that ask for confirmation at a terminal, where the answer is no. */
const ASKED = `
  accounts disable eve; accounts disable eve unknown; agents remove line --account ann; tokens revoke x
  api-keys revoke {apiKey}; signing-keys disable -- {key}; models remove ${CLASSIC}
  signing-keys disable --force -- {key}; ${LIST} --all <- ${FILL}; devices revoke {device}
  devices revoke --model ${CLASSIC}; devices approve --all --status active
  packages import {packages} --replace`

/** Commands that work only on the database. */
const REFUSED_THERE: readonly (readonly [line: string, message: RegExp])[] = [
  ...['accounts set-password ann', 'accounts link ann --subject ann', 'accounts remove ann', 'keys list'].map(
    (line) => [line, /works only on the database, but RATAFIA_URL names a service\. Pass --direct/] as const,
  ),
  [
    'accounts add fay --email f@b.c --name F',
    /You can't set another user's password over HTTP\. Pass --no-password, /,
  ],
  ['accounts add fay --email f@b.c --name F --password-stdin', /You can't set another user's password/],
  [`accounts add fay ${NEW} --role operator`, /--role works only on the database/],
  ['accounts reset-link ann --expires 2h', /A link that a service creates expires after 24h/],
  ['accounts reset-link ann --url https://id.example.org', /--url is the address of the identity service/],
  ['agents list', /Pass --account USERNAME or --mine, or --direct/],
  ['agents remove one --yes', /Pass --account USERNAME or --mine, or --direct/],
  ['tokens revoke --account ann --all --yes', /works only on the database\. Run it with --direct/],
  ['grants list --direct --url http://127.0.0.1:9', /either --url or --direct/],
]

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const there = overHttp(program)
  const { over, tokenOf } = there
  const names: Record<string, string> = {}
  let token: string

  const fileOf = async (name: string, text: string | Uint8Array) => {
    const path = join(there.home, name)
    await writeFile(path, text)
    return path
  }
  const done = async (line: string) => {
    const { code, stdout, stderr } = await program.run(filled(line, 'here'))
    assert.equal(code, 0, `${line}: ${stderr}`)
    return stdout
  }
  /** Fills in the names. Each mode imports its own devices. */
  const filled = (line: string, way: 'here' | 'there') =>
    line.replaceAll(/\{(\w+)\}/g, (_, name) =>
      name === 'lot' ? `${names['home']}/${way}` : (names[name] ?? _),
    )

  before(async () => {
    const { service, home } = there
    const { installation } = service
    token = await tokenOf('operator')
    for (const name of ['ann', 'bob', 'eve']) await addPerson(service, name)
    await withAcme({ ...installation, clock: service.now })
    await registered(service, { serial: 'D-1' })
    await addAcmeModel(installation, 'other')
    await done(`models set-policy ${CLASSIC} --registration approval`)
    assert.equal((await register(service, { serial: 'D-2', key: deviceKey('device2') })).status, 202)
    const ids = JSON.parse(await done('devices list --json')).map(({ id }: { id: string }) => id)
    await logIn(service, (await installation.accounts.findByUsername('ann' as never)) ?? assert.fail())
    const [session] = await program.json('tokens list --account ann')
    const { id: apiKey } = await program.json('api-keys add acme-brand/other --label line')
    for (const name of ['farm --permission package_upload --channel edge --max-lifetime 1h', 'line']) {
      await done(`agents add ${name} --account ann --url https://id.example.org --json`)
    }
    const [entry] = await program.json('audit list --limit 1')
    const hour = new Date().setUTCMinutes(0, 0, 0) - 3_600_000
    const counted = { at: hour, n: 3, name: 'registrations', brandId: '(all)', label: 'serial' } as const
    await installation.counts.add([
      ...[counted, { ...counted, brandId: 'acme-brand', n: 2 }],
      ...Array.from(
        { length: 9 },
        (_, at) => ({ ...counted, name: 'refusals', label: `code-${at}` }) as const,
      ),
    ])
    const some = Array.from({ length: 260 }, (_, at) => ({ name: `p${at}`, snapId: `id-${at}` }))
    await installation.packages.import(some, { replaceAll: true })
    const device = (at: number) => ({
      ...{ brand_id: 'acme-brand', model: at % 3 === 0 ? 'other' : 'acme-classic', serial: `CL-${at}` },
      device_key_id: Buffer.alloc(48, `device ${at}`).toString('base64url'),
    })
    const clones = Array.from({ length: 9 }, (_, index) => ({
      ...device(index),
      clone_evidence: JSON.stringify(
        CLONE_EVIDENCE_KINDS.slice(0, index % 5).map((kind, row) => ({
          ...{ kind, subject: `s${row}`, times: row + 1, details: { address: '192.0.2.1' } },
          first_seen_at: `2026-01-01T0${index}:00:00.000Z`,
          last_seen_at: `2026-01-01T${10 + index + row}:00:00.000Z`,
        })),
      ),
    }))
    await done(`devices import ${await fileOf('clones.json', JSON.stringify(clones))}`)
    for (const [at, way] of ['here', 'there'].entries()) {
      const lot = Array.from({ length: 20 }, (_, index) => device(100 * (at + 1) + index))
      await fileOf(`${way}.json`, JSON.stringify(lot))
    }
    const key = 'k'.repeat(64)
    const faults = 'brand_id,model,serial,device_key_id\nacme-brand,other,X,y\na,b,Y,z\n'
    Object.assign(names, {
      ...{ home, apiKey, entry: entry.id, key: testKey('brand').publicKey.id },
      ...{ session: session.session_id, waits: ids[0], device: ids[1] },
      list: await fileOf('list.csv', `serial,device_key_id\nA-1,\nA-1,${key}\nA-2,${key}\n,${key}\n`),
      pi: await fileOf('pi.model', acmeModel('acme-pi')),
      newer: await fileOf('newer.model', acmeModel('acme-pi', { revision: '3' })),
      junk: await fileOf('junk', 'no assertion\n'),
      none: await fileOf('none', '# nothing\n'),
      faults: await fileOf('faults.csv', faults),
      empty: await fileOf('empty.csv', ''),
      packages: await fileOf('packages.csv', 'name,snap_id\nhello,id-of-hello\n'),
    })
  })

  for (const [subject, lines] of Object.entries(LINES)) {
    test(`${subject}: both modes print the same bytes`, async () => {
      for (const [line, first] of linesIn(lines)) {
        const prepare = async () => first && program.run(filled(first, 'here'))
        await prepare()
        const here = await program.run(filled(line, 'here'))
        await prepare()
        const found = await over(filled(line, 'there'), token)
        assert.deepEqual(plain(found), plain(here), line)
        assert.notEqual(here.stdout + here.stderr, '', line)
        assert.doesNotMatch(here.stderr, /unknown (option|command)/i, line)
      }
    })
  }
  const plain = ({ code, ...said }: Finished) => ({
    code,
    said: JSON.stringify(said).replaceAll(/\bt?here\.json|(?<=The job )\S{36}/g, '…'),
  })

  for (const [filtered] of linesIn(`
    clones list --kind two-chains --brand unknown --since 7d; signing-keys list --account unknown
    grants list --role auditor --brand acme-brand; agents list --account eve
    tokens list --account eve --unused-since 90d; publishers list --account ann
    api-keys list --model acme-brand/acme-pi; audit list --actor service --subject 'no one'`)) {
    test(`${filtered}: a list without a match repeats the search`, async () => {
      const [, flags = ''] = / list (.*)$/.exec(filtered) ?? []
      assert.equal(await done(filtered), `Nothing matches ${flags.replaceAll("'", '')}.\n`)
    })
  }

  test('prints evidence of clones and counters as tables', async () => {
    const clones = await done('clones list')
    assert.match(clones, /^LAST SEEN AT +BRAND ID +MODEL +SERIAL +KIND +TIMES +STATUS +QUARANTINED AT\n/)
    assert.equal(clones.split('\n').length, 2 + 1 + 2 + 3 + 4 + 1 + 2 + 3)
    assert.match(clones.split('\n')[1] ?? '', / CL-8 +two-chains +3 /)
    const limited = await program.run('clones list --limit 3')
    assert.match(limited.stderr, /^There is more/)
    const registrations = await done('counters --name registrations')
    assert.match(registrations, /^registrations: \d+\nAT +SERIAL +WAITS +REFUSED\n/)
    assert.equal(registrations.trimEnd().split('\n').length, 2 + 24)
    const { counters } = JSON.parse(await done('counters --period 30d --brand acme-brand --json'))
    assert.deepEqual([counters.length, counters[0].buckets.length], [3, 30])
    assert.match(await done('counters --name refusals --period 12mo'), / code-8 +3\n/)
    assert.equal(await done('counters --name store-questions'), 'session checks by the store: 0\n')
  })

  for (const [line, first] of linesIn(ASKED)) {
    test(`${line}: both modes ask the same question, and no changes nothing`, async () => {
      const { RATAFIA_URL = '', ...service } = there.environment(token)
      const ask = (environment: object) =>
        whileJobsRun(there.service.installation, () =>
          atTerminal(filled(line, 'here'), 'n\r', { ...program.environment, ...environment }),
        )
      if (first) await done(first)
      const here = await ask({})
      assert.deepEqual([here.asked, here.code, here.stdout], [true, 1, ''], here.stderr)
      assert.match(here.stderr, /ratafia: Nothing was changed\.\n$/)
      assert.deepEqual(await ask({ ...service, RATAFIA_URL }), here)
    })
  }

  for (const [line, message] of REFUSED_THERE) {
    test(`${line}: refused over HTTP`, async () => {
      const { code, stdout, stderr } = await over(line, token)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    })
  }

  for (const line of ['agents list --mine', 'tokens list --mine', 'accounts reminders off --mine']) {
    test(`${line}: refused on the database`, async () => {
      await program.refuses(line, /on the database, no account is logged in/, 2)
    })
  }

  test('--direct overrides RATAFIA_URL, and nothing is sent without a login', async () => {
    const RATAFIA_URL = 'http://127.0.0.1:9'
    const run = (line: string, environment = {}) =>
      program.run(line, {
        environment: { RATAFIA_URL, XDG_CONFIG_HOME: there.home, ...environment },
      })
    for (const noun of ['grants', 'accounts']) assert.equal((await run(`${noun} list --direct`)).code, 0)
    assert.match((await run('grants list')).stderr, /You are not logged in at http:\/\/127\.0\.0\.1:9/)
    const nothing = { RATAFIA_URL: '', RATAFIA_DATA_DIR: join(there.home, 'none') }
    const { code, stderr } = await run('grants list', nothing)
    assert.equal(code, 4)
    assert.match(stderr, /RATAFIA_DATA_DIR.*RATAFIA_DATABASE_URL.*RATAFIA_URL/s)
  })

  suite('over HTTP', () => {
    test('a command without the permission fails with the message and error code of the API', async () => {
      const viewer = await tokenOf('viewer')
      const needed = ['accounts list', 'accounts disable eve --yes', `models add {pi} ${RULE}`]
      for (const line of [...needed, `${LIST} --all --yes`]) {
        const { code, stdout, stderr } = await over(filled(line, 'there'), viewer)
        assert.deepEqual([code, stdout], [1, ''], line)
        assert.match(stderr, /This needs the permission .*, which your account does not have/)
        const { error } = JSON.parse((await over(`${filled(line, 'there')} --json`, viewer)).stderr)
        assert.equal(error.code, 'permission-denied')
      }
    })

    test("the audit log names the manager's account as the actor", async () => {
      const manager = await tokenOf('account-manager')
      const gil = 'accounts add gil --json --name Gil --email g@b.c --no-password'
      const { code, stdout } = await over(gil, manager)
      assert.equal(code, 0)
      assert.deepEqual(JSON.parse(stdout), await program.json('accounts show gil'))
      assert.equal((await over('accounts disable gil --yes', manager)).code, 0)
      const [entry] = await program.json('audit list --subject gil')
      assert.match(`${entry.action} ${entry.actor}`, /^account\.disable account:account-manager-/)
    })

    test("reset-link prints a set-password link with the service's address, and api-keys add the key", async () => {
      const link = await over('accounts reset-link bob', token)
      assert.ok(link.stdout.startsWith(`${there.service.baseUrl}/identity/reset?secret=`), link.stdout)
      assert.match(
        link.stderr,
        /^Anyone with the link can set the password of bob, once, until .*Z or until .*\.\n$/,
      )
      assert.match(await (await fetch(link.stdout.trim())).text(), /<form/)
      const key = await over('api-keys add acme-brand/other --label y', token)
      assert.match(key.stdout, /^ratafia_ak_[A-Za-z0-9_-]{43}\n$/)
      assert.match(key.stderr, /now requires an API key/)
    })

    test("Guarantee: --mine does not need a permission, and never reaches another account's records", async () => {
      const account = await addPerson(there.service, 'gus')
      await giveRoles(there.service, account, 'device-approver acme')
      const own = await fileOf('gus', await managementToken(there.service, account))
      const mine = (line: string) => over(`${line} --mine --json`, own)
      await done('agents add gus-ci --account gus --url https://id.example.org --json')
      const listed = () => program.json('agents list --account gus')
      assert.deepEqual(JSON.parse((await mine('agents list')).stdout), await listed())
      assert.deepEqual(JSON.parse((await mine('accounts reminders off')).stdout).reminders, false)
      assert.match((await mine('agents remove line --yes')).stderr, /There is no agent \\"line\\"/)
      const removed = { code: 0, stdout: '{"removed":"gus-ci"}\n', stderr: '' }
      assert.deepEqual(await mine('agents remove gus-ci --yes'), removed)
      assert.deepEqual(await listed(), [])
      const [session] = JSON.parse((await mine('tokens list')).stdout)
      assert.deepEqual([session.username, session.kind], ['gus', 'management'])
    })

    test('accepts files and lists that are longer than a request', async () => {
      const rows = Array.from({ length: 100 }, (_, at) => ({
        ...{ brand_id: 'acme-brand', model: 'other', serial: `LONG-${at}`, reason: 'x'.repeat(500) },
        device_key_id: Buffer.alloc(48, `long ${at}`).toString('base64url'),
      }))
      const long = await fileOf('long.json', `${JSON.stringify(rows).slice(0, -1)}${' '.repeat(5_000_000)}]`)
      assert.equal((await over(`devices import ${long}`, token)).stdout, '100 devices added.\n')
      const [job] = JSON.parse((await over('jobs list --json', token)).stdout)
      assert.deepEqual([job.kind, job.parts, job.state], ['devices.import', 2, 'done'])

      const serials = Array.from({ length: 1500 }, (_, at) => `L-${at}`.padEnd(80, 'x'))
      // The first entry includes the last one, which is counted once.
      const entries = ['TWICE,', ...serials.map((serial) => `${serial},`), `TWICE,${'k'.repeat(64)}`]
      names['many'] = await fileOf('many.csv', ['serial,device_key_id', ...entries, ''].join('\n'))
      await done(`allow-list import {many} --model ${CLASSIC}`)
      const dry = await over(filled(`${LIST} {many} --dry-run --json`, 'there'), token)
      assert.equal(dry.stdout, '{"would_remove":1502}\n', dry.stderr)
      const removed = await over(filled(`${LIST} {many}`, 'there'), token)
      assert.deepEqual(removed, { code: 0, stdout: '1502 entries removed.\n', stderr: '' })
    })

    test('audit verify prints the same from a job as from the database', async () => {
      const told = async (more = '') => {
        // A job writes its own entries, which are linked a little later.
        await linkEntries(there.service.installation, async () => true)
        const words = `audit verify ${more}`
        return [await over(words, token), await program.run(words)] as const
      }
      const both = await told()
      const intact =
        /^The audit log is intact: \d+ entries\.( Not linked yet: \d+\.)?\nLatest entry: (\d+:[0-9a-f]{64})\n$/
      for (const one of both) assert.match(`${one.code} ${one.stdout}`.slice(2), intact)
      const [, , end = ''] = intact.exec(both[0].stdout) ?? []
      for (const one of await told(`--expect ${end}`)) assert.equal(one.code, 0)
      const [refused, direct] = await told(`--expect ${end.split(':')[0]}:${'0'.repeat(64)}`)
      assert.deepEqual(refused, direct)
      assert.match(
        refused.stderr,
        /^ratafia: The audit log is broken at entry \d+: its hash is not the expected one/,
      )
    })

    test('audit export writes the same file in both modes, and no file if the transfer breaks', async () => {
      const [here, file] = [join(there.home, 'here.csv'), join(there.home, 'there.csv')]
      const direct = await program.json(`audit export ${here}`)
      const exported = await over(`audit export ${file} --json`, token)
      assert.deepEqual(JSON.parse(exported.stdout), { ...direct, file })
      assert.equal(await readFile(file, 'utf8'), await readFile(here, 'utf8'))
      const [line] = (await done('audit export')).split('\n')
      await eachBrokenTransfer(`${line}\n`, async (url, name) => {
        const broken = join(there.home, `${name}.jsonl`)
        const { code, stdout, stderr } = await over(`audit export ${broken}`, token, url)
        assert.ok(code === 1 || code === 3, `${name}: ${code} ${stderr}`)
        assert.equal(stdout, '')
        await assert.rejects(stat(broken), { code: 'ENOENT' })
      })
    })

    test('status shows the checks of the service over HTTP, and those of the host on the host', async () => {
      const { code, stdout, stderr } = await over('status', token)
      // No process does the periodic work in this test.
      assert.equal(code, 1)
      assert.match(stderr, /of 17 checks needs? attention\./)
      assert.ok(
        stdout.startsWith(`ok         service:      ${there.service.baseUrl} accepts requests.\n`),
        stdout,
      )
      assert.match(stdout, /\nok {9}database: {5}SQLite answers\.\n[\s\S]*\nok {9}changes: /)
      const here = JSON.parse((await program.run('status --json')).stdout)
      assert.equal(here.findings.length, 16)
    })
  })
})
