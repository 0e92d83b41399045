/** What cannot be undone is asked about at a terminal; of several names each is acted on, whatever becomes of the others. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { atTerminal } from '../support/at-terminal.ts'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const answering = (words: readonly string[], typed: string) => atTerminal(words, typed, program.environment)

  test('accounts disable: takes the name and nothing else; a script says --yes', async () => {
    await program.json('accounts', 'add', 'ann', '--email', 'a@b.c', '--name', 'Ann', '--no-password')
    const disabled = async () => (await program.json('accounts', 'show', 'ann')).disabled_at
    for (const typed of ['', 'y', 'yes', 'an', 'ann ann', 'ANN']) {
      const no = await answering(['accounts', 'disable', 'ann'], `${typed}\r`)
      assert.equal(no.code, 1)
      assert.match(no.stderr, /^ann cannot log in any longer, and 0 sessions of its developer tokens/)
      assert.match(no.stderr, /Type ann to go on: [\s\S]*ratafia: Nothing was changed\.\n$/)
    }
    const script = await program.run(['accounts', 'disable', 'ann'])
    assert.deepEqual([script.code, script.stdout], [2, ''])
    assert.match(script.stderr, /Nobody can be asked here whether this is meant: give --yes if it is\./)
    assert.equal(await disabled(), null)
    assert.equal((await answering(['accounts', 'disable', 'ann'], ' ann \r')).code, 0)
    assert.notEqual(await disabled(), null)
  })

  test('several names: one question for all, which also says what will be refused', async () => {
    await program.json('accounts', 'enable', 'ann')
    const words = ['accounts', 'disable', 'ann', 'nobody']
    const no = await answering(words, 'n\r')
    assert.equal(no.code, 1)
    assert.match(
      no.stderr,
      /^ann cannot log in any longer, .*\nnobody: There is no account "nobody"\.\n.*Type 2 to go on: /,
    )
    assert.equal((await program.json('accounts', 'show', 'ann')).disabled_at, null)
    const yes = await answering(words, '2\r')
    assert.equal(yes.stderr.split('to go on').length, 2)
    assert.match(yes.stdout, /^The account ann is disabled: .*\nnobody: There is no account "nobody"\.\n/)
    assert.notEqual((await program.json('accounts', 'show', 'ann')).disabled_at, null)
  })

  test('tokens revoke: a session, or all of an account', async () => {
    for (const [words, asked] of [
      [['some-session'], /^The tokens of the session some-session stop working for good\.\n/],
      [
        ['--account', 'ann', '--all'],
        /^Every token of ann stops working for good, logins that were not used yet/,
      ],
    ] as const) {
      const no = await answering(['tokens', 'revoke', ...words], 'n\r')
      assert.deepEqual([no.code, no.stdout], [1, ''])
      assert.match(no.stderr, asked)
      assert.match(no.stderr, /ratafia: Nothing was changed\.\n$/)
    }
    assert.equal((await answering(['tokens', 'revoke', '--account', 'ann', '--all'], 'ann\r')).code, 0)
    assert.equal((await program.run(['tokens', 'revoke', '--account', 'ann', '--all'])).code, 2)
    const silent = await answering(['tokens', 'revoke', '--account', 'ann', '--all', '--yes'], '')
    assert.deepEqual([silent.code, silent.asked], [0, false])
  })

  test('restore --replace: says what is deleted from where; a no keeps it', async () => {
    const file = join(program.directory, 'backup')
    assert.equal((await program.run(['backup', file])).code, 0)
    await program.json('accounts', 'add', 'bob', '--email', 'b@b.c', '--name', 'Bob', '--no-password')
    const { code, stderr } = await answering(['restore', '--replace', file], 'y\r')
    assert.equal(code, 1)
    const [, rows = ''] = /Type (\d+) to go on: /.exec(stderr) ?? []
    assert.match(
      stderr,
      /Everything in the database \(SQLite, \S+ratafia\.db\) is deleted for good: \d+ rows\./,
    )
    assert.equal((await program.json('accounts', 'list')).length, 2)
    assert.equal((await program.run(['restore', '--replace', file])).code, 2, 'a script says what it means')
    assert.equal((await program.json('accounts', 'list')).length, 2)
    assert.equal((await answering(['restore', '--replace', file], `${rows}\r`)).code, 0)
    assert.equal((await program.json('accounts', 'list')).length, 1)
    assert.equal((await program.run(['restore', '--replace', file, '--yes'])).code, 0)
  })
})

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
