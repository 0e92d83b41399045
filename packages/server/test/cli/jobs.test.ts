/** For many decisions over HTTP a command creates a job, follows it, and prints the refusals. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, deviceKey, register, withAcme } from '../support/devices.ts'
import { startCommand } from '../support/login-command.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { testProgram } from '../support/program.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let home: string
  let at: { readonly baseUrl: string }
  let installation: Awaited<ReturnType<typeof program.open>>

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-jobs-'))
    installation = await program.open()
    await withAcme(installation)
    // A separate process, which runs the jobs.
    const { baseUrl } = await program.start()
    at = { baseUrl }
  })
  after(() => rm(home, { recursive: true, force: true }))

  const as = (...roles: readonly string[]) => signedInAs(roles)
  /** `signedIn` is how the caller signed in. Default: in a browser, now. */
  const signedInAs = async (roles: readonly string[], signedIn?: string) => {
    const service = { ...at, installation, now: () => new Date(), advance: () => assert.fail() }
    const file = join(home, `token-${[signedIn, ...roles].join('-').replaceAll(' ', '-')}`)
    const manager = await addManager(service, ...roles)
    await writeFile(file, await managementToken(service, manager, {}, signedIn ? { signedIn } : {}))
    const environment = { RATAFIA_URL: at.baseUrl, RATAFIA_TOKEN_FILE: file, XDG_CONFIG_HOME: home }
    return (words: string) => startCommand(words, environment).finished
  }

  let models = 0
  /** Registers two devices of a new model, which then are pending. Returns the model's name. */
  const waiting = async () => {
    const model = `lot-${++models}`
    const modelText = await addAcmeModel(installation, model, { policy: { registration: 'approval' } })
    for (const [serial, key] of [
      ['L-1', deviceKey()],
      ['L-2', deviceKey('device2')],
    ] as const) {
      assert.equal((await register(at, { model, modelText, serial, key })).status, 202)
    }
    return `acme-brand/${model}`
  }

  test('an agent can revoke one device but not many, and can preview that with --dry-run', async () => {
    const model = await waiting()
    const agent = await signedInAs(['brand-manager acme-brand'], 'agent line')
    const [device] = JSON.parse((await agent(`devices list --model ${model} --json`)).stdout)
    assert.equal((await agent(`devices approve ${device.id}`)).code, 0)
    const many = await agent(`devices revoke --model ${model} --dry-run`)
    assert.equal(many.code, 1)
    assert.match(many.stderr, /person/)
    const name = `The device ${device.id} (${model}/${device.serial}`
    const stdout = `${name}, active) would be revoked.\n`
    assert.deepEqual(await agent(`devices revoke ${device.id} --dry-run`), { code: 0, stdout, stderr: '' })
    assert.equal(JSON.parse((await agent(`devices show ${device.id} --json`)).stdout).status, 'active')
    const done = await agent(`devices revoke ${device.id} --yes`)
    assert.deepEqual([done.code, done.stdout.startsWith(`${name}, revoked) was revoked at `)], [0, true])
  })

  test("approves the devices of a model by a job, and follows the service's progress", async () => {
    const model = await waiting()
    const approver = await as('device-approver acme-brand')
    const stdout = '2 devices would be approved, 0 would be refused.\n'
    const approve = `devices approve --model ${model}`
    assert.deepEqual(await approver(`${approve} --dry-run`), { code: 0, stdout, stderr: '' })
    const done = await approver(approve)
    assert.deepEqual([done.code, done.stderr], [0, ''])
    const [, id = ''] =
      /^The job ([0-9a-f-]{36}) \(devices\.approve\) finished: 2 of 2 records done\.\n$/.exec(done.stdout) ??
      []
    assert.match((await approver('jobs list')).stdout, new RegExp(`${id} +devices.approve +done`))
    assert.equal((await approver(`jobs show ${id}`)).stdout, done.stdout)
    for (const words of [
      ...['show', 'wait', 'cancel'].map((verb) => `jobs ${verb} ${id}`),
      ...[`jobs show ${id} --json`, `jobs items ${id} --outcome done`, `jobs items ${id} --json`],
      `jobs show ${newDeviceId(new Date())}`,
    ]) {
      assert.deepEqual(await approver(words), await program.run(words), words)
    }
    await program.says('jobs list', new RegExp(id))
  })

  test('prints the errors in a file one by one, with the line and column from the API', async () => {
    const model = await waiting()
    const manager = await as('brand-manager acme-brand')
    const file = join(home, 'serials.csv')
    await writeFile(file, 'serial\nA-1\na/b\n')
    const { code, stderr } = await manager(`allow-list import ${file} --model ${model}`)
    assert.equal(code, 1)
    assert.match(stderr, /line 3: "serial" is not a serial number/)
    const [{ id }] = JSON.parse((await manager('jobs list --json')).stdout)
    const shown = await manager(`jobs items ${id} --json`)
    assert.deepEqual(await program.run(`jobs items ${id} --json`), shown)
    const [{ extra }] = JSON.parse(shown.stdout)
    assert.deepEqual(
      extra.faults.map(({ line, column }: Record<string, unknown>) => [line, column]),
      [[3, 'serial']],
    )
    assert.doesNotMatch((await manager(`jobs items ${id}`)).stdout, /EXTRA/)
  })

  test('reads names from a file, prints refusals on standard error, and exits with 1', async () => {
    const model = await waiting()
    const approver = await as('device-approver acme-brand')
    const file = join(home, 'devices')
    const unknown = newDeviceId(new Date())
    await writeFile(file, `# a lot\n${model}/L-1\n${unknown}\nacme-brand/none/X\n`)
    const words = `devices reject --file ${file} --reason unknown`
    const { code, stdout, stderr } = await approver(words)
    assert.equal(code, 1)
    assert.match(stdout, /finished: 1 of 2 records done, 1 refused\.\n$/)
    assert.match(stderr, new RegExp(`^acme-brand/none/X: There is no.*\n${unknown}: There is no.*\n`))
    assert.match(stderr, /2 of 3 devices could not be rejected\. The list shows the reasons\.\n$/)
    const [, id = ''] = /job ([0-9a-f-]{36})/.exec(stdout) ?? []
    const waited = await approver(`jobs wait ${id}`)
    assert.deepEqual([waited.code, waited.stdout], [1, stdout])
    assert.match(
      waited.stderr,
      /1 of 2 records was refused\. `ratafia jobs items [0-9a-f-]{36} --outcome refused`/,
    )
    assert.deepEqual(await program.run(`jobs wait ${id}`), waited)
    const parsed = JSON.parse((await approver(`${words} --json`)).stdout)
    assert.deepEqual([parsed.jobs[0].unchanged, parsed.refused.length], [1, 2])
  })

  test('--no-wait leaves the job to the service', async () => {
    const model = await waiting()
    const manager = await as('brand-manager acme-brand')
    const { code, stdout } = await manager(`devices approve --model ${model} --no-wait --json`)
    assert.equal(code, 0)
    const { id } = JSON.parse(stdout).jobs[0]
    assert.match((await manager(`jobs wait ${id}`)).stdout, /finished: 2 of 2 records done/)
    const revoke = `devices revoke --model ${model} --yes`
    const revoked = await manager(`${revoke} --reason recalled`)
    assert.match(revoked.stdout, /\(devices\.revoke\) finished: 2 of 2 records done/)
    const none = await manager(revoke)
    assert.deepEqual([none.code, none.stdout], [0, 'No device matches, so none was revoked.\n'])
    const many = join(home, 'many')
    await writeFile(many, Array.from({ length: 2_001 }, () => newDeviceId(new Date())).join('\n'))
    const long = `devices approve --file ${many} --no-wait`
    await program.refuses(long, /--no-wait accepts up to 2000 devices/, 2)
    assert.deepEqual(await manager(long), await program.run(long))
  })

  test('a running service runs the jobs of commands on the database, which can wait for them', async () => {
    const operator = await as('operator')
    const left = await program.json(`devices approve --model ${await waiting()} --no-wait`)
    const [{ id, by }] = left.jobs
    assert.equal(by, 'operator')
    assert.match((await operator(`jobs wait ${id}`)).stdout, /finished: 2 of 2 records done/)
    const entries = await installation.audit.list({ action: 'device.approve' }, { limit: 2 })
    for (const { actor, source, details } of entries) {
      assert.deepEqual([actor, JSON.parse(details).job], ['operator', id])
      assert.match(source, /^command line, /)
    }
    const approver = await as('device-approver acme-brand')
    assert.equal((await approver(`jobs show ${id}`)).code, 1, "another account's job is hidden")
    const words = `devices approve --model ${await waiting()}`
    assert.deepEqual(await program.run(`${words} --dry-run`), await operator(`${words} --dry-run`))
    await program.says(words, /\(devices\.approve\) finished: 2 of 2 records done\.\n$/)
  })
})
