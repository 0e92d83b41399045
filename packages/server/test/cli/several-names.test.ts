/** Commands that take several names act on each, whatever becomes of the others. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const disabled = async () =>
    (await program.json('accounts', 'list'))
      .filter(({ disabled_at }: { disabled_at: string | null }) => disabled_at !== null)
      .map(({ username }: { username: string }) => username)

  before(async () => {
    for (const name of ['ann', 'bob', 'cem']) {
      await program.json('accounts', 'add', name, '--email', 'a@b.c', '--name', name, '--no-password')
    }
  })

  test('all succeed: a line for each, and exit code 0', async () => {
    const { code, stdout, stderr } = await program.run(['accounts', 'disable', '--yes', 'ann', 'bob', 'ann'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^The account ann is disabled: .*\nThe account bob is disabled: .*\n$/)
    assert.deepEqual(await disabled(), ['ann', 'bob'])
    const enabled = await program.json('accounts', 'enable', 'ann', 'bob')
    assert.deepEqual(
      enabled.map(({ given, result, message, username, disabled_at }: Record<string, unknown>) => [
        ...[given, result, message, username, disabled_at],
      ]),
      [
        ['ann', 'done', null, 'ann', null],
        ['bob', 'done', null, 'bob', null],
      ],
    )
    assert.deepEqual(await disabled(), [])
  })

  test('one fails: the others are done, its line says why, and the exit code is 1', async () => {
    const { code, stdout, stderr } = await program.run([
      'accounts',
      'disable',
      '--yes',
      'ann',
      'no\u001bbody',
      'bob',
    ])
    assert.equal(code, 1)
    const [ann, nobody, bob, ...more] = stdout.split('\n')
    assert.match(String(ann), /^The account ann is disabled: /)
    assert.equal(nobody, 'no?body: There is no account "no\\u001bbody".')
    assert.match(String(bob), /^The account bob is disabled: /)
    assert.deepEqual(more, [''])
    assert.equal(stderr, 'ratafia: 1 of 3 accounts could not be disabled: the list says why.\n')
    assert.deepEqual(await disabled(), ['ann', 'bob'])
  })

  test('one fails, with --json: a list on standard output, the error on standard error', async () => {
    const { code, stdout, stderr } = await program.run(['accounts', 'enable', '--json', 'nobody', 'ann'])
    assert.equal(code, 1)
    const [nobody, ann] = JSON.parse(stdout)
    assert.deepEqual(nobody, {
      given: 'nobody',
      result: 'failed',
      message: 'There is no account "nobody".',
    })
    assert.deepEqual([ann.given, ann.result, ann.disabled_at], ['ann', 'done', null])
    assert.equal(JSON.parse(stderr).error.exit_code, 1)
  })

  test('agents remove: two, one of them twice', async () => {
    for (const name of ['ci', 'nightly']) {
      const url = ['--url', 'https://store.example.com/identity']
      await program.json('agents', 'add', name, '--account', 'cem', ...url)
    }
    assert.deepEqual(await program.json('agents', 'remove', 'ci', 'nightly', 'ci'), [
      { given: 'ci', result: 'done', message: null, removed: 'ci' },
      { given: 'nightly', result: 'done', message: null, removed: 'nightly' },
    ])
    assert.deepEqual(await program.json('agents', 'list'), [])
  })

  for (const [words, things] of [
    [['tokens', 'revoke'], 'sessions could not be revoked'],
    [['signing-keys', 'disable'], 'signing keys could not be disabled'],
    [['api-keys', 'revoke'], 'API keys could not be revoked'],
    [['models', 'remove'], 'models could not be removed'],
  ] as const) {
    test(`${words.join(' ')}: takes several names, and says of each why it failed`, async () => {
      const { code, stdout, stderr } = await program.run([...words, 'acme/one', 'two'])
      assert.equal(code, 1)
      assert.match(stdout, /^acme\/one: .+\ntwo: .+\n$/)
      assert.equal(stderr, `ratafia: 2 of 2 ${things}: the list says why.\n`)
    })
  }
})
