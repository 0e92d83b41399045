/**
 * Commands that cannot be undone ask for confirmation at a terminal. A command with several names acts on
 * each of them, even if it fails for others.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { atTerminal } from '../support/at-terminal.ts'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const answering = (words: string, typed: string) => atTerminal(words, typed, program.environment)

  const { json, says, refuses } = program

  test('accounts disable is confirmed only by the name, or by --yes in a script', async () => {
    await program.addAccount('ann')
    const disable = 'accounts disable ann'
    const disabled = async () => (await json('accounts show ann')).disabled_at
    for (const typed of ['', 'y', 'yes', 'an', 'ann ann', 'ANN']) {
      const no = await answering(disable, `${typed}\r`)
      assert.equal(no.code, 1)
      assert.match(no.stderr, /^ann will not be able to log in, and 0 sessions of its developer tokens/)
      assert.match(no.stderr, /Type ann to confirm: [\s\S]*ratafia: Nothing was changed\.\n$/)
    }
    await refuses(disable, /Can't ask for confirmation without a terminal\. Pass --yes to go ahead\./, 2)
    assert.equal(await disabled(), null)
    assert.equal((await answering(disable, ' ann \r')).code, 0)
    assert.notEqual(await disabled(), null)
    await says('accounts enable ann')

    const no = await answering(`${disable} unknown`, 'n\r')
    assert.equal(no.code, 1)
    assert.match(
      no.stderr,
      /^ann will not be able to log in, .*\nunknown: There is no account "unknown"\.\n.*Type 2 to confirm: /,
    )
    assert.equal(await disabled(), null)
    const yes = await answering(`${disable} unknown`, '2\r')
    assert.equal(yes.stderr.split('to confirm').length, 2, 'one question for several names')
    assert.match(yes.stdout, /^Disabled the account ann\. .*\nunknown: There is no account "unknown"\.\n/)
    assert.notEqual(await disabled(), null)
  })

  test('tokens revoke asks before it revokes a session or all sessions of an account', async () => {
    const all = 'tokens revoke --account ann --all'
    for (const [words, asked] of [
      ['tokens revoke some-session', /^The tokens of the session some-session permanently stop working\.\n/],
      [all, /^This permanently revokes all tokens of ann, including logins/],
    ] as const) {
      const no = await answering(words, 'n\r')
      assert.deepEqual([no.code, no.stdout], [1, ''])
      assert.match(no.stderr, asked)
      assert.match(no.stderr, /ratafia: Nothing was changed\.\n$/)
    }
    assert.equal((await answering(all, 'ann\r')).code, 0)
    assert.equal((await program.run(all)).code, 2)
    const silent = await answering(`${all} --yes`, '')
    assert.deepEqual([silent.code, silent.asked], [0, false])
  })

  test('restore --replace names the database and the rows it deletes, and no keeps them', async () => {
    const file = join(program.directory, 'backup')
    const restore = `restore --replace ${file}`
    const count = async () => (await json('accounts list')).length
    await says(`backup ${file}`)
    await program.addAccount('bob')
    const { code, stderr } = await answering(restore, 'y\r')
    assert.equal(code, 1)
    const [, rows = ''] = /Type (\d+) to confirm: /.exec(stderr) ?? []
    assert.match(stderr, /everything in the database \(SQLite, \S+ratafia\.db\), \d+ rows, and replaces it/)
    assert.equal((await program.run(restore)).code, 2, 'a script needs --yes')
    assert.equal(await count(), 2)
    assert.equal((await answering(restore, `${rows}\r`)).code, 0)
    assert.equal(await count(), 1)
    assert.equal((await program.run(`${restore} --yes`)).code, 0)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says } = program
  const disabled = async () =>
    (await json('accounts list'))
      .filter(({ disabled_at }: { disabled_at: string | null }) => disabled_at !== null)
      .map(({ username }: { username: string }) => username)

  before(async () => {
    for (const name of ['ann', 'bob', 'cem']) await program.addAccount(name)
  })

  test('prints a line for each name, and exits with 0 if all succeed', async () => {
    await says(
      'accounts disable --yes ann bob ann',
      /^Disabled the account ann\. .*\nDisabled the account bob\. .*\n$/,
    )
    assert.deepEqual(await disabled(), ['ann', 'bob'])
    const enabled = await json('accounts enable ann bob')
    assert.deepEqual(
      enabled.map(({ given, result, message, username, disabled_at }: Record<string, unknown>) => [
        ...[given, result, message, username, disabled_at],
      ]),
      ['ann', 'bob'].map((name) => [name, 'done', null, name, null]),
    )
    assert.deepEqual(await disabled(), [])
  })

  test('if one name fails, prints the reason, acts on the others and exits with 1', async () => {
    const words = ['accounts', 'disable', '--yes', 'ann', 'no\u001bbody', 'bob']
    const { code, stdout, stderr } = await program.run(words)
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^Disabled the account ann\. .*\nno\?body: There is no account "no\\u001bbody"\.\nDisabled the account bob\. .*\n$/,
    )
    assert.equal(stderr, 'ratafia: 1 of 3 accounts could not be disabled. The list shows the reasons.\n')
    assert.deepEqual(await disabled(), ['ann', 'bob'])
  })

  test('--json prints the results on standard output, and an error on standard error if one fails', async () => {
    const { code, stdout, stderr } = await program.run('accounts enable --json unknown ann')
    assert.equal(code, 1)
    const [unknown, ann] = JSON.parse(stdout)
    const message = 'There is no account "unknown".'
    assert.deepEqual(unknown, { given: 'unknown', result: 'failed', message })
    assert.deepEqual([ann.given, ann.result, ann.disabled_at], ['ann', 'done', null])
    assert.equal(JSON.parse(stderr).error.exit_code, 1)
  })

  test('agents remove acts once on a name that is given twice', async () => {
    for (const name of ['ci', 'nightly']) {
      await json(`agents add ${name} --account cem --url https://store.example.com/identity`)
    }
    assert.deepEqual(
      await json('agents remove ci nightly ci'),
      ['ci', 'nightly'].map((given) => ({ given, result: 'done', message: null, removed: given })),
    )
    assert.deepEqual(await json('agents list'), [])
  })

  for (const [words, things] of [
    ['tokens revoke', 'sessions could not be revoked'],
    ['signing-keys disable', 'signing keys could not be disabled'],
    ['api-keys revoke', 'API keys could not be revoked'],
    ['models remove', 'models could not be removed'],
  ]) {
    test(`${words}: accepts several names, and prints the reason for each failure`, async () => {
      const { code, stdout, stderr } = await program.run(`${words} acme/one two`)
      assert.equal(code, 1)
      assert.match(stdout, /^acme\/one: .+\ntwo: .+\n$/)
      assert.equal(stderr, `ratafia: 2 of 2 ${things}. The list shows the reasons.\n`)
    })
  }
})
