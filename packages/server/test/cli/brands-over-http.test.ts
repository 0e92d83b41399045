/** What `ratafia models`, `signing-keys` and `allow-list` change, at a service: as on the database. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { HeaderInput } from '@ratafia/assertions'
import { vectorPath } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { acmeModel, withAcme } from '../support/devices.ts'
import { overHttp } from '../support/over-http.ts'
import { testProgram } from '../support/program.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const there = overHttp(program)
  const { over, tokenOf } = there
  const CLASSIC = 'acme-brand/acme-classic'
  let manager: string

  before(async () => {
    const { installation, now } = there.service
    await withAcme({ ...installation, clock: now }, { registration: 'allow-list' })
    manager = await tokenOf('brand-manager acme-brand')
  })

  const fileOf = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(there.home, name)
    await writeFile(path, content)
    return path
  }
  const modelFile = (model: string, headers: Record<string, HeaderInput> = {}): Promise<string> => {
    return fileOf(
      `${model}-${headers['revision'] ?? 0}.model`,
      acmeModel(model, { classic: 'true', ...headers }),
    )
  }
  const bothWays = async (cases: readonly (readonly string[])[], token: string): Promise<void> => {
    for (const words of cases) {
      const direct = await program.run(words)
      assert.deepEqual(await over(words, token), direct, words.join(' '))
    }
  }

  test('models: both ways print the same, byte for byte', async () => {
    const pi = await modelFile('acme-pi')
    const add = ['models', 'add', pi, '--registration', 'approval', '--serial-template', 'PI-{number:4}']
    const added = await over([...add, '--json'], manager)
    assert.deepEqual([added.code, added.stderr], [0, ''])
    const [, listed] = await program.json('models', 'list')
    assert.deepEqual(JSON.parse(added.stdout), listed)
    assert.deepEqual([listed.serials, listed.registration], ['PI-{number:4}', 'approval'])

    const newer = await modelFile('acme-pi', { revision: '3' })
    const updated = await over(['models', 'update', newer], manager)
    assert.equal(updated.stdout, 'The assertion of acme-brand/acme-pi is up to date.\n')
    assert.equal((await program.json('models', 'show', 'acme-brand/acme-pi')).revision, 3)

    const junk = await fileOf('junk', 'no assertion\n')
    const rule = ['--registration', 'auto']
    await bothWays(
      [
        add,
        [...add, '--json'],
        ['models', 'add', junk, ...rule],
        ['models', 'add', join(there.home, 'absent'), ...rule],
        ['models', 'add', vectorPath('world/account-acme-brand'), ...rule],
        ['models', 'add', await modelFile('acme-two'), ...rule, '--serial-template', '{'],
        ['models', 'add', await modelFile('acme-two')],
        ['models', 'update', newer],
        ['models', 'update', newer, '--json'],
        ['models', 'update', pi],
        ['models', 'update', junk, '--json'],
        ['models', 'update', await modelFile('acme-none')],
      ],
      manager,
    )
    for (const words of [add, ['models', 'update', await modelFile('acme-pi', { revision: '4' })]]) {
      const viewer = await over(words, await tokenOf('viewer'))
      assert.deepEqual([viewer.code, viewer.stdout], [1, ''], words.join(' '))
      assert.match(viewer.stderr, /permission|role/)
    }
  })

  test('signing-keys disable: both ways print the same, byte for byte', async () => {
    const [{ key_id: id }] = await program.json('signing-keys', 'list')
    const disable = ['signing-keys', 'disable', '--yes']
    await bothWays(
      [
        [...disable, '--', id],
        [...disable, '--json', '--', id],
        [...disable, '--', 'x'.repeat(64)],
        [...disable, '--', '..', 'a/b'],
      ],
      manager,
    )
    const again = () =>
      program.json('signing-keys', 'add', vectorPath('world/keys/brand.pem')).then(({ key_id }) => {
        assert.equal(key_id, id)
      })
    for (const more of [['--force'], ['--force', '--json']]) {
      const words = [...disable, ...more, '--', id]
      const direct = await program.run(words)
      assert.equal(direct.code, 0)
      await again()
      assert.deepEqual(await over(words, manager), direct)
      // What is disabled is told apart.
      await bothWays([words], manager)
      await again()
    }
    const agent = await tokenOf('brand-manager acme-brand', { signedIn: 'agent robot' })
    const refused = await over([...disable, '--force', '--', id], agent)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    const [{ state }] = await program.json('signing-keys', 'list')
    assert.equal(state, 'signs')
  })

  test('allow-list remove: both ways print the same, byte for byte', async () => {
    const key = 'k'.repeat(64)
    const rows = ['A-1,', `A-1,${key}`, `A-2,${key}`, `,${key}`]
    const list = async (name: string, lines: readonly string[]) =>
      fileOf(name, ['serial,device_key_id', ...lines, ''].join('\n'))
    const some = await list('some.csv', rows)
    const fill = async () => {
      assert.equal((await program.run(['allow-list', 'import', some, '--model', CLASSIC])).code, 0)
    }
    const remove = ['allow-list', 'remove', '--model', CLASSIC]
    await fill()
    await bothWays(
      [
        [...remove, '--serial', 'A-1', '--dry-run'],
        [...remove, '--serial', 'A-1', '--dry-run', '--json'],
        [...remove, some, '--dry-run'],
        [...remove, '--all', '--dry-run'],
        [...remove, '--all'],
        [...remove, '--serial', 'A-3'],
        [...remove, '--serial', 'A-3', '--dry-run', '--json'],
        [...remove, '--serial', 'a/b'],
        [...remove, '--device-key-id', 'short'],
        [...remove, some, '--all'],
        ['allow-list', 'remove', '--model', 'acme-brand/none', '--serial', 'A-1'],
        ['allow-list', 'remove', '--model', 'none', '--serial', 'A-1'],
      ],
      manager,
    )
    for (const more of [
      ['--serial', 'A-1'],
      ['--device-key-id', key],
      [some, '--json'],
      ['--all', '--yes'],
    ]) {
      await fill()
      const direct = await program.run([...remove, ...more])
      await fill()
      assert.deepEqual(await over([...remove, ...more], manager), direct, more.join(' '))
    }
    assert.equal((await over([...remove, '--serial', 'A-2'], await tokenOf('viewer'))).code, 1)
  })

  test('allow-list remove: a list longer than a request', async () => {
    const serials = Array.from({ length: 1500 }, (_, at) => `L-${at}`.padEnd(80, 'x'))
    // The last is one of those that the first stands for, and is counted once.
    const rows = ['TWICE,', ...serials.map((serial) => `${serial},`), `TWICE,${'k'.repeat(64)}`]
    const long = await fileOf('long.csv', ['serial,device_key_id', ...rows, ''].join('\n'))
    const words = [long, '--model', CLASSIC]
    assert.equal((await program.run(['allow-list', 'import', ...words])).code, 0)
    const dry = await over(['allow-list', 'remove', ...words, '--dry-run', '--json'], manager)
    assert.equal(dry.stdout, '{"would_remove":1502}\n', dry.stderr)
    const removed = await over(['allow-list', 'remove', ...words], manager)
    assert.deepEqual(removed, { code: 0, stdout: '1502 entries removed.\n', stderr: '' })
  })
})
