/** An operator uses `ratafia migrate`, `accounts` and `agents`. */
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { generateKeyPair, keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { line } from '../support/cases.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const PASSWORD = 'correct horse battery'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(withoutTables(fresh))
  const ok = async (words: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await program.run(words, input === undefined ? {} : { input })
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return stdout
  }
  const refused = async (words: readonly string[], message: RegExp, input?: string | Uint8Array) => {
    await program.refuses(words, message, 1, input === undefined ? {} : { input })
  }
  const add = (username: string, name = `Name of ${username}`) => line`
    accounts add ${username} --email ${username}@example.org --name ${name}`

  before(async () => {
    if (kind === 'postgres') {
      const { code, stderr } = await program.run('accounts list')
      assert.equal(code, 4)
      assert.match(stderr, /^ratafia: The database has no tables of Ratafia yet: run `ratafia migrate`/)
    }
    const { code, stdout } = await program.run('migrate')
    assert.deepEqual(
      { code, stdout },
      {
        code: 0,
        stdout: 'Ran 0001-schema.\n',
      },
    )
    assert.deepEqual(await program.json('migrate'), { ran: [] })
    assert.equal(await ok('migrate'), 'The database is up to date.\n')
  })

  test('accounts can be added, listed, shown, given a password, disabled and enabled', async () => {
    assert.match(await ok('accounts list'), /^No accounts yet\./)
    assert.deepEqual(await program.json('accounts list'), [])

    const told = await ok([...add('ann', 'Ann Ä'), '--password-stdin'], `${PASSWORD}\n`)
    const [, id] = /^Created the account ann \(id ([A-Za-z0-9]{32})\)\.\n$/.exec(told) ?? []
    const ann = {
      id,
      username: 'ann',
      name: 'Ann Ä',
      email: 'ann@example.org',
      password: true,
      password_logins: true,
      reminders: true,
      second_factor: false,
      disabled_at: null,
      logins_since: null,
    }
    const withoutTime = ({ created_at, ...rest }: Record<string, unknown>) => {
      assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000)
      return rest
    }
    assert.deepEqual(withoutTime(await program.json('accounts show ann')), ann)
    assert.deepEqual(withoutTime(await program.json('accounts', 'show', String(id))), ann)
    assert.deepEqual((await program.json('accounts list')).map(withoutTime), [ann])
    assert.match(
      await ok('accounts list'),
      /^USERNAME {2}NAME {3}EMAIL .*\nann {7}Ann Ä {2}ann@example\.org .* -\n$/,
    )
    assert.match(await ok('accounts show ann'), /^username: +ann$/m)

    const bot = await program.json(...add('bot'), '--no-password')
    assert.equal(bot.password, false)
    const set = await program.run('accounts set-password bot --password-stdin', {
      input: PASSWORD,
    })
    assert.deepEqual(set, { code: 0, stdout: 'Changed the password of bot.\n', stderr: '' })
    assert.equal((await program.json('accounts show bot')).password, true)

    assert.match((await program.json('accounts disable --yes bot')).disabled_at, /^\d{4}-.*Z$/)
    assert.match(await ok('accounts disable --yes bot'), /^Disabled the account bot\. /)
    assert.equal((await program.json('accounts enable bot')).disabled_at, null)
    assert.match(await ok('accounts enable bot'), /^Enabled the account bot\. /)
  })

  test('refuses invalid names, passwords and options of accounts, with the reason', async () => {
    await ok([...add('taken'), '--no-password'])
    const usage = async (words: readonly string[], message: RegExp, input?: Uint8Array) => {
      await program.refuses(words, message, 2, input ? { input } : {})
    }
    await refused([...add('taken'), '--no-password'], /^ratafia: The username "taken" is taken\. /)
    await refused([...add('Bad_Name'), '--no-password'], /^ratafia: A username has 2 to 28 characters/)
    await refused([...add('x1', 'a\u001bb'), '--no-password'], /^ratafia: A display name has /)
    const withPassword = [...add('x1'), '--password-stdin']
    await refused(withPassword, /^ratafia: The password is too short: use at least 8 /, 'short\n')
    await refused(withPassword, /^ratafia: Enter a password\.\n/, '')
    await usage(withPassword, /is not UTF-8/, Buffer.from('caf\xe9-caf\xe9', 'latin1'))
    await usage(withPassword, /is too long for a password/, Buffer.alloc(10_000, 97))
    await usage([...withPassword, '--no-password'], /cannot be combined/)
    await usage('accounts link taken --subject s', /Pass --issuer/)
    assert.deepEqual(
      (await program.json('accounts list')).filter(({ username }: { username: string }) => username === 'x1'),
      [],
    )
  })

  test('accounts link refuses an identity that belongs to another account', async () => {
    await ok([...add('linked'), '--no-password'])
    const link = (username: string) => line`
      accounts link ${username} --subject usso:x --issuer https://id.example.com/`
    assert.equal(await ok(link('linked')), 'usso:x now logs in as linked.\n')
    assert.equal((await program.json(...link('linked'))).username, 'linked')
    await ok([...add('other'), '--no-password'])
    await refused(link('other'), /^ratafia: This identity already belongs to the account "linked"\./)
  })

  describe('agents', () => {
    const url = ['--url', 'https://store.example.com/identity']
    before(() => ok([...add('owner'), '--no-password']))

    test('add prints only the agents file on standard output', async () => {
      const words = ['agents', 'add', 'ci', '--account', 'owner', ...url]
      const { code, stdout, stderr } = await program.run(words)
      assert.equal(code, 0)
      assert.equal(
        stderr,
        'Created the agent ci, which logs in as owner. Its private key is stored nowhere else.\n',
      )
      const { key, agents } = JSON.parse(stdout)
      assert.deepEqual(agents, [{ url: 'https://store.example.com/identity', username: 'ci' }])
      const pair = keyPairFromPrivateKey(Buffer.from(key.private, 'base64'))
      assert.equal(Buffer.from(pair.publicKey).toString('base64'), key.public)

      const [row] = await program.json('agents list --account owner')
      assert.deepEqual([row.name, row.account, row.public_key], ['ci', 'owner', key.public])
      assert.match(
        await ok('agents list'),
        /^NAME +ACCOUNT +LIMITS +PUBLIC KEY +CREATED AT\nci +owner +none /,
      )
      await refused(words, /^ratafia: An agent "ci" already exists\./)
      assert.deepEqual(await program.json('agents remove ci'), { removed: 'ci' })
      assert.deepEqual(await program.json('agents list --account owner'), [])
      assert.match(await ok('agents list'), /^No agents yet\./)
      assert.equal((await program.run('agents remove ci')).code, 1)
    })

    test('tokens revoke --account --all reports what it revoked, and accepts no session id', async () => {
      const revoked = await program.json('tokens revoke --account owner --all --yes')
      assert.deepEqual([revoked.username, revoked.revoked], ['owner', 0])
      const shown = await program.json('accounts show owner')
      assert.equal(shown.logins_since, revoked.logins_since)
      assert.match(
        await ok('tokens revoke --account owner --all --yes'),
        /^Revoked 0 sessions of owner\. Its earlier logins no longer work/,
      )
      for (const words of [[], ['--all'], ['--account', 'owner'], ['x', '--account', 'owner', '--all']]) {
        assert.equal((await program.run(['tokens', 'revoke', ...words])).code, 2)
      }
      await refused('tokens revoke --account nobody --all --yes', /There is no account "nobody"/)
    })

    test('limits of an agent are listed, and refused when no token can have them', async () => {
      const limits = line`
        --permission package_upload --permission package_release --channel edge --package hello --store
        acme --max-lifetime 1h`
      const made = await program.json('agents', 'add', 'limited', '--account', 'owner', ...url, ...limits)
      const given = {
        permissions: ['package_upload', 'package_release'],
        channels: ['edge'],
        packages: ['hello'],
        store_ids: ['acme'],
        max_lifetime_seconds: 3600,
      }
      assert.deepEqual(made.limits, given)
      const [listed] = await program.json('agents list --account owner')
      assert.deepEqual(listed.limits, given)
      assert.match(
        await ok('agents list'),
        /permission package_upload, package_release; channel edge; package hello; store acme; max-lifetime 3600s/,
      )
      await program.json('agents remove limited')
      const add = (...options: string[]) => ['agents', 'add', 'l2', '--account', 'owner', ...url, ...options]
      await refused(add('--permission', 'package_everything'), /There is no permission "package_everything"/)
      await refused(add('--channel', 'é'), /--channel "é" is not 1 to 128 printable ASCII characters/)
      const many = Array.from({ length: 257 }, (_, at) => ['--channel', `c${at}`]).flat()
      await refused(add(...many), /There are more than 256 --channel options/)
      assert.equal((await program.run(add('--max-lifetime', 'soon'))).code, 2)
    })

    test('--json prints the row and the file', async () => {
      const made = await program.json('agents', 'add', 'json', '--account', 'owner', ...url)
      assert.deepEqual(Object.keys(made), ['name', 'account', 'public_key', 'limits', 'created_at', 'file'])
      assert.equal(made.file.key.public, made.public_key)
    })

    test('--output writes a file that only its owner can read, and never overwrites one', async () => {
      const output = join(program.directory, 'agents.json')
      const words = ['agents', 'add', 'file', '--account', 'owner', ...url, '--output', output]
      assert.equal(
        await ok(words),
        `Created the agent file, which logs in as owner. Its agents file is ${output}.\n`,
      )
      assert.equal((await stat(output)).mode & 0o777, 0o600)
      assert.equal(JSON.parse(await readFile(output, 'utf8')).agents[0].username, 'file')
      await refused(
        ['agents', 'add', 'f2', ...words.slice(3)],
        /agents\.json already exists and is not overwritten\. No agent was created\.\n$/,
      )
      await refused(
        ['agents', 'add', 'f2', ...words.slice(3, -1), '/nowhere/x'],
        /^ratafia: \/nowhere\/x cannot be written: there is no such file or directory\. Check the path\. No agent was created\.\n$/,
      )
      const names = (await program.json('agents list')).map(({ name }: { name: string }) => name)
      assert.ok(!names.includes('f2'))
    })

    test('--output leaves no file when the agent cannot be created', async () => {
      const output = join(program.directory, 'left')
      await refused(['agents', 'add', 'x', '--account', 'nobody', ...url, '--output', output], /no account/)
      await assert.rejects(stat(output), { code: 'ENOENT' })
    })

    test('--public-key accepts an existing key, and does not print a file', async () => {
      const key = Buffer.from(generateKeyPair().publicKey).toString('base64')
      const words = ['agents', 'add', 'own', '--account', 'owner', ...url, '--public-key', key]
      assert.equal(await ok(words), 'Created the agent own, which logs in as owner.\n')
      await refused(['agents', 'add', 'own2', ...words.slice(3)], /^ratafia: Another agent has this key\./)
      await program.refuses(
        [...words, '--output', 'x'],
        'ratafia: With --public-key there is no agents file to write. Leave out --output.\n',
        2,
      )
    })

    test('refuses an identity location that clients cannot reach', async () => {
      const words = ['agents', 'add', 'lost', '--account', 'owner']
      const { code, stderr } = await program.run(words)
      assert.deepEqual(
        [code, stderr.split('.', 1)[0]],
        [2, 'ratafia: Pass --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL, the address is not known'],
      )
      assert.equal((await program.run([...words, '--url', 'store'])).code, 2)
      const environment = { RATAFIA_BASE_URL: 'https://store.example.com/' }
      const { stdout } = await program.run([...words, '--json'], { environment })
      assert.equal(JSON.parse(stdout).file.agents[0].url, 'https://store.example.com/identity')
    })
  })

  test('control characters in names never reach the terminal, and JSON keeps them escaped', async () => {
    const installation = await program.open()
    const evil = 'a\u001b[31m\u009bb\u202ec\u{e0001}'
    const { query } = installation.database
    await query.updateTable('account').set({ name: evil }).where('username', '=', 'owner').execute()
    for (const words of [
      ['accounts', 'list'],
      ['accounts', 'show', 'owner'],
      ['accounts', 'show', 'owner', '--json'],
    ]) {
      const stdout = await ok(words)
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    }
    assert.equal((await program.json('accounts show owner')).name, evil)
  })
})
