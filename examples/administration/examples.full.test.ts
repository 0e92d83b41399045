/** Runs the examples of administration against a service, as an agent with the role device-approver for one brand. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { oneDatabase } from '../../packages/server/test/support/databases.ts'
import { freshDeviceKeys, register, withAcme } from '../../packages/server/test/support/devices.ts'
import { testProgram } from '../../packages/server/test/support/program.ts'
import type { TestService } from '../../packages/server/test/support/service.ts'
import { compiled, ratafiaCommand } from '../../tools/test/programs.ts'

const MODEL = 'acme-brand/acme-classic'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let home: string
  let keys: Awaited<ReturnType<typeof freshDeviceKeys>>

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-examples-'))
    for (const [account, ...role] of [
      ['factory', 'device-approver', '--brand', 'acme-brand'],
      ['reader', 'viewer', '--brand', 'acme-brand'],
    ] as const) {
      const person = [account, '--email', `${account}@example.org`, '--name', account, '--no-password']
      assert.equal((await program.run(['accounts', 'add', ...person])).code, 0)
      if (account === 'factory') service = await program.serve()
      if (account === 'factory')
        await withAcme({ ...service.installation, clock: service.now }, { registration: 'approval' })
      assert.equal((await program.run(['grants', 'add', account, ...role])).code, 0)
      const agent = [account, '--account', account, '--url', `${service.baseUrl}/identity`]
      const added = await program.run(['agents', 'add', ...agent, '--output', join(home, `${account}.json`)])
      assert.equal(added.code, 0, added.stderr)
    }
    keys = await freshDeviceKeys(6)
  })
  after(() => rm(home, { recursive: true, force: true }))

  let asked = 0
  const ask = async (serial: string, status = 202) => {
    const key = keys[asked++] ?? assert.fail('no key left')
    assert.equal((await register(service, { key, serial })).status, status)
  }
  const statusOf = async (serial: string) =>
    (await program.json('devices', 'show', `${MODEL}/${serial}`)).status
  const listed = async (name: string, ...serials: readonly string[]) => {
    const file = join(home, name)
    await writeFile(file, `serial\r\n${serials.join('\n')}\n`)
    return file
  }
  /** Runs a command on a machine that has only the service's address and the agents file. */
  const run = async (command: string, words: readonly string[], account = 'factory') => {
    const child = spawn(command, words, {
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        NODE_COMPILE_CACHE: compiled(),
        RATAFIA_URL: service.baseUrl,
        RATAFIA_AGENT_FILE: join(home, `${account}.json`),
        RATAFIA: ratafiaCommand().join(' '),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text
      })
    }
    const [code] = await once(child, 'close')
    return { code, ...said }
  }
  const approveBatch = (words: readonly string[], account?: string) =>
    run('sh', [join(import.meta.dirname, 'approve-batch.sh'), ...words], account)
  const provision = (...words: readonly string[]) =>
    run(process.execPath, [join(import.meta.dirname, 'provision.ts'), ...words])

  test('approve-batch.sh approves the devices of the batch as they register, and no others', async () => {
    await ask('B-1')
    await ask('X-9')
    const batch = await listed('batch.csv', 'B-1', '', 'B-2')
    const first = await approveBatch(['-n', '1', MODEL, batch])
    assert.deepEqual(first, {
      code: 1,
      stdout: `approved ${MODEL}/B-1\n`,
      stderr: `not approved yet: ${MODEL}/B-2\n`,
    })
    const second = approveBatch(['-p', '1', MODEL, batch])
    await ask('B-2')
    assert.deepEqual(await second, {
      code: 0,
      stdout: `approved ${MODEL}/B-1\napproved ${MODEL}/B-2\n`,
      stderr: '',
    })
    assert.deepEqual(
      [await statusOf('B-1'), await statusOf('B-2'), await statusOf('X-9')],
      ['active', 'active', 'pending'],
    )
  })

  test('approve-batch.sh exits with 2 at once without the permission or with wrong arguments', async () => {
    const batch = await listed('one.csv', 'X-9')
    const refused = await approveBatch([MODEL, batch], 'reader')
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, /"code":"permission-denied"/)
    assert.equal(await statusOf('X-9'), 'pending')
    for (const words of [[MODEL], [MODEL, join(home, 'none.csv')], ['-x', MODEL, batch]]) {
      assert.equal((await approveBatch(words)).code, 2)
    }
  })

  test('provision.ts approves the devices in the inventory, and names or rejects the others', async () => {
    await ask('I-1')
    await ask('I-2')
    const inventory = await listed('inventory.csv', 'I-1', 'I-2', 'I-3')
    const first = await provision(MODEL, inventory)
    assert.equal(first.code, 1, first.stderr)
    assert.match(
      first.stdout,
      new RegExp(
        `^not in the inventory: ${MODEL}/X-9 \\(\\S+\\)\napproved ${MODEL}/I-1\napproved ${MODEL}/I-2\n$`,
      ),
    )
    assert.deepEqual([await statusOf('I-1'), await statusOf('X-9')], ['active', 'pending'])
    const second = await provision(MODEL, inventory, '--reject', 'Not ours')
    assert.deepEqual(second, { code: 0, stdout: `rejected ${MODEL}/X-9\n`, stderr: '' })
    const shown = await program.json('devices', 'show', `${MODEL}/X-9`)
    assert.deepEqual([shown.status, shown.reason, shown.decided_by], ['rejected', 'Not ours', 'factory'])
    const sessions = await program.json('tokens', 'list', '--account', 'factory')
    const own = sessions.filter(({ description }: { description: string }) => description === 'provision.ts')
    assert.equal(own.length, 2)
    const life = Date.parse(own[0].valid_until) - Date.parse(own[0].valid_since)
    assert.equal(life, 600_000)
  })
})
