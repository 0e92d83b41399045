/** `ratafia accounts` at a service, from a machine where nothing of a service is set: as on the database. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { startCommand } from '../support/login-command.ts'
import { giveRoles, managementToken } from '../support/managers.ts'
import { testProgram } from '../support/program.ts'
import { addPerson, type TestService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let home: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    service = await program.serve()
    for (const name of ['ann', 'bob', 'eve']) await addPerson(service, name)
  })
  after(() => rm(home, { recursive: true, force: true }))

  let tokens = 0
  /** The file with a token of an account with this role, who logged in with a browser. */
  const tokenOf = async (role: string, wanted = {}) => {
    const account = await addPerson(service, `${role}-${++tokens}`)
    await giveRoles(service, account, role)
    const path = join(home, `token-${tokens}`)
    await writeFile(path, await managementToken(service, account, wanted))
    return path
  }
  const over = (words: readonly string[], tokenFile: string) =>
    startCommand(words, {
      ...{ XDG_CONFIG_HOME: home, RATAFIA_URL: service.baseUrl, RATAFIA_TOKEN_FILE: tokenFile },
    }).finished

  test('both ways print the same, byte for byte', async () => {
    const token = await tokenOf('account-manager')
    // The first changes what the second finds done: then both print the record as it is.
    for (const words of [
      ['accounts', 'disable', 'ann', '--yes'],
      ['accounts', 'enable', 'bob'],
    ]) {
      assert.equal((await program.run(words)).code, 0)
    }
    for (const words of [
      ['accounts', 'list'],
      ['accounts', 'list', '--json'],
      ['accounts', 'list', '--columns', 'username,created_at,password'],
      ['accounts', 'show', 'ann'],
      ['accounts', 'show', 'ann', '--json'],
      ['accounts', 'show', 'nobody'],
      ['accounts', 'show', '..'],
      ['accounts', 'show', '', '--json'],
      ['accounts', 'show', 'a/b'],
      ['accounts', 'disable', 'ann', '--yes'],
      ['accounts', 'disable', 'ann', '--yes', '--json'],
      ['accounts', 'enable', 'bob', '--json'],
      ['accounts', 'disable', 'nobody', '--yes'],
      ['accounts', 'enable', 'bob', 'nobody', 'eve'],
      ['accounts', 'enable', 'bob', '../tokens', '--json'],
    ]) {
      assert.deepEqual(await over(words, token), await program.run(words), words.join(' '))
    }
  })

  test('what a manager changes over HTTP is changed, in their name', async () => {
    const token = await tokenOf('account-manager')
    const { code, stdout, stderr } = await over(['accounts', 'disable', 'eve', 'bob', '--yes'], token)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^The account eve is disabled: .*\nThe account bob is disabled: .*\n$/)
    const [entry] = await program.json('audit', 'list', '--subject', 'eve')
    assert.deepEqual([entry.action, entry.actor], ['account.disable', `account:account-manager-${tokens}`])
    assert.equal((await over(['accounts', 'enable', 'eve', 'bob'], token)).code, 0)
  })

  test('an account is added without a password; what is refused is refused in the same words', async () => {
    const token = await tokenOf('account-manager')
    const add = (name: string, email = 'n@b.c') => [
      ...['accounts', 'add', name, '--email', email, '--name', 'New One', '--no-password'],
    ]
    const added = await over(add('new-one'), token)
    assert.match(added.stdout, /^Created the account new-one \(id \w{32}\)\.\n$/)
    const shown = await program.json('accounts', 'show', 'new-one')
    assert.deepEqual([shown.name, shown.password], ['New One', false])
    for (const words of [
      add('new-one'),
      [...add('new-one'), '--json'],
      add('Not-A-Name'),
      add('x'.repeat(70)),
      add('operator'),
      add(''),
      add('new-two', ''),
      add('new-two', 'no address'),
      add('new-two', `${'x'.repeat(400)}@b.c`),
      [...add('new-two'), '--role', 'king'],
    ]) {
      assert.deepEqual(await over(words, token), await program.run(words), words.join(' '))
    }
  })

  test('what the role does not allow is refused, in the words of the service', async () => {
    const viewer = await over(['accounts', 'list'], await tokenOf('viewer'))
    assert.deepEqual([viewer.code, viewer.stdout], [1, ''])
    assert.match(viewer.stderr, /This needs the permission accounts:read, which your account does not have/)
    const chief = await addPerson(service, 'chief')
    await giveRoles(service, chief, 'operator')
    const refused = await over(
      ['accounts', 'disable', 'chief', '--yes', '--json'],
      await tokenOf('account-manager'),
    )
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.equal(JSON.parse(refused.stderr).error.code, 'permission-denied')
    assert.equal((await program.json('accounts', 'show', 'chief')).disabled_at, null)
  })

  test('passwords and removal stay where the database is', async () => {
    const token = await tokenOf('operator')
    for (const words of [
      ['accounts', 'set-password', 'ann'],
      ['accounts', 'link', 'ann', '--subject', 'ann'],
      ['accounts', 'remove', 'ann'],
    ]) {
      const { code, stderr } = await over(words, token)
      assert.equal(code, 2)
      assert.match(stderr, /Give --direct|give --direct/, words.join(' '))
    }
  })
})
