/** Imports at a service: the same words and the same answers as on the database. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, withAcme } from '../support/devices.ts'
import { startCommand } from '../support/login-command.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { testProgram } from '../support/program.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let home: string
  let environment: Readonly<Record<string, string>>
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-imports-'))
    const installation = await program.open()
    await withAcme(installation)
    await addAcmeModel(installation, 'lot')
    // A process of its own: it runs the jobs.
    const { baseUrl } = await program.start()
    const service = { baseUrl, installation, now: () => new Date(), advance: () => assert.fail() }
    const file = join(home, 'token')
    await writeFile(file, await managementToken(service, await addManager(service, 'operator')))
    environment = { RATAFIA_URL: baseUrl, RATAFIA_TOKEN_FILE: file, XDG_CONFIG_HOME: home }
  })
  after(() => rm(home, { recursive: true, force: true }))

  const over = (...words: readonly string[]) => startCommand(words, environment).finished
  const fileOf = async (name: string, text: string) => {
    const path = join(home, name)
    await writeFile(path, text)
    return path
  }
  const key = (index: number) => Buffer.alloc(48, `lot ${index}`).toString('base64url')
  const devices = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      ...{ brand_id: 'acme-brand', model: 'lot', serial: `I-${from + index}` },
      device_key_id: key(from + index),
    }))
  /** Both ways, each with a file of its own that is as long. */
  const both = async (words: (file: string) => readonly string[], files: readonly [string, string]) => {
    const there = await over(...words(files[0]))
    const here = await program.run(words(files[1]))
    const named = ({ stderr, ...rest }: typeof here) => ({
      ...rest,
      stderr: files.reduce((text, file) => text.replaceAll(file, 'FILE'), stderr),
    })
    assert.deepEqual(named(there), named(here))
    return there
  }

  test('devices: as many are added, and a dry run says how many would be', async () => {
    const files = [
      await fileOf('one.json', JSON.stringify(devices(0, 20))),
      await fileOf('two.json', JSON.stringify(devices(20, 40))),
    ] as const
    const dry = await both((file) => ['devices', 'import', file, '--dry-run'], files)
    assert.deepEqual([dry.code, dry.stdout], [0, '20 devices would be added.\n'])
    const added = await both((file) => ['devices', 'import', file], files)
    assert.equal(added.stdout, '20 devices added.\n')
    const again = await both((file) => ['devices', 'import', file, '--json'], [files[0], files[0]])
    assert.deepEqual(JSON.parse(again.stdout), { devices: 20, added: 0 })
    const own = await program.json('devices', 'list', '--model', 'acme-brand/lot', '--limit', '100')
    assert.equal(own.length, 40)
  })

  test('a file that is longer than a request goes in parts', async () => {
    const rows = devices(100, 200).map((row) => ({ ...row, reason: 'x'.repeat(500) }))
    const text = `${JSON.stringify(rows).slice(0, -1)}${' '.repeat(5_000_000)}]`
    const file = await fileOf('long.json', text)
    assert.equal((await over('devices', 'import', file)).stdout, '100 devices added.\n')
    const jobs = JSON.parse((await over('jobs', 'list', '--json')).stdout)
    assert.deepEqual([jobs[0].kind, jobs[0].parts, jobs[0].state], ['devices.import', 2, 'done'])
  })

  test('what is wrong in a file is told line by line', async () => {
    const text = 'brand_id,model,serial,device_key_id\nacme-brand,lot,X,short\nacme-brand,none,Y,short\n'
    const file = await fileOf('faults.csv', text)
    const refused = await both((file) => ['devices', 'import', file], [file, file])
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /^ratafia: line 2: .*\nratafia: line 3: .*\nratafia: Nothing was imported\.\n$/,
    )
    const json = await both((file) => ['devices', 'import', file, '--json'], [file, file])
    assert.equal(JSON.parse(json.stderr).error.code, 'import')
    for (const name of ['missing.csv', 'no-ending']) {
      const words = ['devices', 'import', join(home, name)]
      assert.deepEqual(await over(...words), await program.run(words), name)
    }
    await both(
      (file) => ['devices', 'import', file],
      [await fileOf('empty.csv', ''), await fileOf('empty2.csv', '')],
    )
  })

  test('allow-lists, packages and hardware identities', async () => {
    const list = [
      await fileOf('a.csv', 'serial\nA-1\nA-2\n'),
      await fileOf('b.csv', 'serial\nB-1\nB-2\n'),
    ] as const
    const words = (file: string) => ['allow-list', 'import', file, '--model', 'acme-brand/lot']
    await both((file) => [...words(file), '--dry-run'], list)
    assert.equal((await both(words, list)).stdout, '2 entries added, 0 already there.\n')
    const packages = await fileOf('packages.csv', 'name,snap_id\nhello,id-of-hello\n')
    const dry = await both(
      (file) => ['packages', 'import', file, '--dry-run', '--json'],
      [packages, packages],
    )
    assert.equal(JSON.parse(dry.stdout).added, 1)
    assert.equal(
      (await both((file) => ['packages', 'import', file], [packages, packages])).stdout,
      '1 package imported.\n',
    )
    await both((file) => ['packages', 'import', file, '--replace', '--yes'], [packages, packages])
    const none = await fileOf('identity.assert', 'type: account\n')
    await both((file) => ['allow-list', 'import', file, '--model', 'acme-brand/none'], list)
    assert.equal((await both((file) => ['hardware-identities', 'import', file], [none, none])).code, 1)
  })
})
