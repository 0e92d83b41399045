/** `ratafia accounts add`, `set-email` and `reset-link`, and `ratafia agents`, at a service: as on the database. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { giveRoles, managementToken } from '../support/managers.ts'
import { overHttp } from '../support/over-http.ts'
import { testProgram } from '../support/program.ts'
import { addPerson } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const there = overHttp(program)
  const { over, tokenOf } = there

  before(async () => {
    for (const name of ['ann', 'bob', 'eve']) await addPerson(there.service, name)
  })

  const addAgent = (name: string, account: string, ...more: readonly string[]) =>
    program.json('agents', 'add', name, '--account', account, '--url', 'https://id.example.org', ...more)
  const newAccount = (name: string, ...more: readonly string[]) => [
    ...['accounts', 'add', name, '--email', `${name}@example.org`, '--name', `Name of ${name}`],
    ...more,
  ]

  test('both ways print the same, byte for byte', async () => {
    const token = await tokenOf('account-manager')
    await addAgent(
      'farm',
      'ann',
      '--permission',
      'package_upload',
      '--channel',
      'edge',
      '--max-lifetime',
      '1h',
    )
    await addAgent('line', 'ann')
    // What the first changes the second finds done; and what is refused is refused in the same words.
    for (const words of [
      newAccount('ann', '--no-password'),
      newAccount('ann', '--no-password', '--json'),
      newAccount('Not A Name', '--no-password'),
      newAccount('', '--no-password'),
      newAccount('new', '--no-password', '--password-stdin'),
      ['accounts', 'add', 'new', '--no-password', '--email', '', '--name', 'N'],
      ['accounts', 'add', 'new', '--no-password', '--email', 'n@example.org', '--name', ''],
      ['accounts', 'set-email', 'eve', 'eve@example.net'],
      ['accounts', 'set-email', 'eve', 'eve@example.net', '--json'],
      ['accounts', 'set-email', 'eve', ''],
      ['accounts', 'set-email', 'eve', `${'e'.repeat(300)}@example.org`],
      ['accounts', 'set-email', 'nobody', 'nobody@example.org'],
      ['accounts', 'set-email', '../tokens', 'nothing'],
      ['agents', 'list', '--account', 'ann'],
      ['agents', 'list', '--account', 'ann', '--json'],
      ['agents', 'list', '--account', 'ann', '--columns', 'limits,name'],
      ['agents', 'list', '--account', 'bob'],
      ['agents', 'list', '--account', 'nobody'],
      ['agents', 'list', '--account', 'a/b', '--json'],
      ['agents', 'list', '--account', 'ann', '--mine'],
      ['agents', 'remove', 'farm', '--account', 'bob', '--yes'],
      ['agents', 'remove', 'farm', '--account', 'nobody', '--yes'],
      ['agents', 'remove', '..', 'a/b', 'none', '--account', 'ann', '--yes', '--json'],
    ]) {
      const direct = await program.run(words)
      assert.deepEqual(await over(words, token), direct, words.join(' '))
    }
  })

  test('a manager adds an account without a password, and is told so for any other', async () => {
    const token = await tokenOf('account-manager')
    const { code, stdout, stderr } = await over(newAccount('carl', '--no-password'), token)
    const { id, password, email } = await program.json('accounts', 'show', 'carl')
    assert.deepEqual([code, stdout, stderr], [0, `Created the account carl (id ${id}).\n`, ''])
    assert.deepEqual([password, email], [false, 'carl@example.org'])
    const added = await over(newAccount('dora', '--no-password', '--json'), token)
    assert.deepEqual(JSON.parse(added.stdout), await program.json('accounts', 'show', 'dora'))

    for (const [words, reason] of [
      [newAccount('fay'), /A service takes no password .* --no-password, /],
      [newAccount('fay', '--password-stdin'), /A service takes no password/],
      [newAccount('fay', '--no-password', '--role', 'operator'), /--role works on the database alone/],
    ] as const) {
      const refused = await over(words, token)
      assert.deepEqual([refused.code, refused.stdout], [2, ''])
      assert.match(refused.stderr, reason)
    }
    assert.equal((await program.run(['accounts', 'show', 'fay'])).code, 1)
  })

  test('set-email changes the address, in the name of the manager, and nobody else may', async () => {
    const token = await tokenOf('account-manager')
    const words = ['accounts', 'set-email', 'bob', 'robert@example.org']
    const { id } = await program.json('accounts', 'show', 'bob')
    const viewer = await over(words, await tokenOf('viewer'))
    assert.deepEqual([viewer.code, viewer.stdout], [1, ''])
    const changed = await over([...words, '--json'], token)
    assert.deepEqual(JSON.parse(changed.stdout), { id, username: 'bob', email: 'robert@example.org' })
    const [entry, ...more] = await program.json('audit', 'list', '--action', 'account.set-email')
    assert.match(entry.actor, /^account:account-manager-/)
    assert.deepEqual([entry.subject, more.length], ['bob', 1])
  })

  test('reset-link: a link for 24 hours below the address of the service', async () => {
    const token = await tokenOf('account-manager')
    const { code, stdout, stderr } = await over(['accounts', 'reset-link', 'ann'], token)
    assert.equal(code, 0)
    assert.ok(stdout.startsWith(`${there.service.baseUrl}/identity/reset?secret=`), stdout)
    assert.match(stderr, /^Whoever has the link sets the password of ann: once, until .*Z, or until .*\.\n$/)
    assert.match(await (await fetch(stdout.trim())).text(), /<form/)
    const made = JSON.parse((await over(['accounts', 'reset-link', 'ann', '--json'], token)).stdout)
    assert.deepEqual(Object.keys(made), ['username', 'url', 'expires_at'])

    for (const [more, reason] of [
      [['--expires', '2h'], /A link that a service makes works for 24h/],
      [['--url', 'https://id.example.org'], /--url is the location of the identity service/],
    ] as const) {
      const refused = await over(['accounts', 'reset-link', 'ann', ...more], token)
      assert.deepEqual([refused.code, refused.stdout], [2, ''])
      assert.match(refused.stderr, reason)
    }
    const absent = ['accounts', 'reset-link', 'nobody']
    assert.equal((await over(absent, token)).stderr, 'ratafia: There is no account "nobody".\n')
    const agent = await over(
      ['accounts', 'reset-link', 'ann'],
      await tokenOf('account-manager', { signedIn: 'agent robot' }),
    )
    assert.deepEqual([agent.code, agent.stdout], [1, ''])
  })

  test('agents: those of an account, and only with its name', async () => {
    const token = await tokenOf('account-manager')
    for (const name of ['one', 'two']) await addAgent(name, 'eve')
    for (const words of [
      ['agents', 'list'],
      ['agents', 'remove', 'one', '--yes'],
    ]) {
      const { code, stdout, stderr } = await over(words, token)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /give --account USERNAME, --mine, or --direct/)
    }
    const removal = ['agents', 'remove', 'one', 'two', '--account', 'eve']
    const viewer = await over(removal, await tokenOf('viewer'))
    assert.match(viewer.stderr, /^ratafia: 2 of 2 agents could not be removed: the list says why\.\n$/)
    const removed = await over([...removal, '--yes'], token)
    assert.deepEqual(
      removed.stdout,
      ['one', 'two']
        .map((name) => `The agent ${name} is removed. Its tokens stay valid: see \`ratafia tokens list\`.\n`)
        .join(''),
    )
    assert.deepEqual(await program.json('agents', 'list', '--account', 'eve'), [])
  })

  test('Guarantee: --mine needs no permission, and reaches nobody else', async () => {
    const account = await addPerson(there.service, 'gus')
    await giveRoles(there.service, account, 'device-approver acme')
    const token = join(there.home, 'gus')
    await writeFile(token, await managementToken(there.service, account))
    await addAgent('gus-ci', 'gus')
    await addAgent('ann-ci', 'ann')
    const listed = await over(['agents', 'list', '--mine', '--json'], token)
    assert.deepEqual(
      JSON.parse(listed.stdout),
      await program.json('agents', 'list', '--account', 'gus'),
      listed.stderr,
    )
    const others = await over(['agents', 'remove', 'ann-ci', '--mine', '--yes'], token)
    assert.deepEqual([others.code, others.stderr], [1, 'ratafia: There is no agent "ann-ci".\n'])
    const own = await over(['agents', 'remove', 'gus-ci', '--mine', '--yes', '--json'], token)
    assert.deepEqual(own, { code: 0, stdout: '{"removed":"gus-ci"}\n', stderr: '' })
    const names = (await program.json('agents', 'list')).map(({ name }: { name: string }) => name)
    assert.ok(names.includes('ann-ci') && !names.includes('gus-ci'), names.join())
    const here = await program.run(['agents', 'list', '--mine'])
    assert.equal(here.code, 2)
    assert.match(here.stderr, /on the database nobody is logged in/)
  })
})
