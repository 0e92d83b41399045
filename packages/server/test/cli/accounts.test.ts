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
  const { json, says, refuses, refusesEach } = program
  const add = (username: string, name = username) => line`
    accounts add ${username} --email ${username}@example.org --name ${name}`

  before(async () => {
    if (kind === 'postgres') {
      const { code, stderr } = await program.run('accounts list')
      assert.equal(code, 4)
      assert.match(stderr, /^ratafia: The database has no tables of Ratafia yet: run `ratafia migrate`/)
    }
    await says('migrate', 'Ran 0001-schema, 0002-setup-link.\n')
    assert.deepEqual(await json('migrate'), { ran: [] })
    await says('migrate', 'The database is up to date.\n')
  })

  test('the error in docs/reference.md is the one that the command prints', async () => {
    const { stderr } = await program.run('accounts show unknown --json')
    const page = await readFile(new URL('../../../../docs/reference.md', import.meta.url), 'utf8')
    assert.ok(page.includes(`\`${stderr.trimEnd()}\``), stderr)
  })

  test('backup and restore count one row in the singular', async () => {
    const file = `${program.directory}/new.backup`
    await says(`backup ${file}`, /^Wrote 1 row of /)
    await says(`restore ${file} --dry-run`, / is complete: 1 row of /)
  })

  test('an empty column is refused as such', async () => {
    const words = ['accounts', 'list', '--columns', '']
    await refuses(words, /--columns "": a name is empty\. The columns are username/, 2)
  })

  test('accounts can be added, listed, shown, given a password, disabled and enabled', async () => {
    await says('accounts list', /^No accounts yet\./)
    assert.deepEqual(await json('accounts list'), [])

    const created = /^Created the account ann \(id ([A-Za-z0-9]{32})\)\.\n$/
    const told = await says([...add('ann', 'Ann Ä'), '--password-stdin'], created, { input: `${PASSWORD}\n` })
    const [, id] = created.exec(told) ?? []
    const { created_at, ...ann } = await json('accounts show ann')
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.deepEqual(ann, {
      ...{ id, username: 'ann', name: 'Ann Ä', email: 'ann@example.org', password: true },
      ...{ password_logins: true, reminders: true, second_factor: false },
      ...{ disabled_at: null, logins_since: null },
    })
    assert.deepEqual(await json('accounts', 'show', String(id)), { ...ann, created_at })
    assert.deepEqual(await json('accounts list'), [{ ...ann, created_at }])
    await says('accounts list', /^USERNAME {2}NAME {3}EMAIL .*\nann {7}Ann Ä {2}ann@example\.org .* -\n$/)
    await says('accounts show ann', /^username: +ann$/m)

    await program.addAccount('bot')
    assert.equal((await json('accounts show bot')).password, false)
    const setting = 'accounts set-password bot --password-stdin'
    await says(setting, 'Changed the password of bot.\n', { input: PASSWORD })
    assert.equal((await json('accounts show bot')).password, true)
    assert.match((await json('accounts disable --yes bot')).disabled_at, /^\d{4}-.*Z$/)
    await says('accounts disable --yes bot', /^Disabled the account bot\. /)
    assert.equal((await json('accounts enable bot')).disabled_at, null)
    await says('accounts enable bot', /^Enabled the account bot\. /)
  })

  test('refuses invalid names, passwords and options of accounts, with the reason', async () => {
    await program.addAccount('taken')
    const withPassword = [...add('x1'), '--password-stdin']
    for (const [words, code, message, input = ''] of [
      [[...add('taken'), '--no-password'], 1, /^ratafia: The username "taken" is taken\. /],
      [[...add('Bad_Name'), '--no-password'], 1, /^ratafia: A username has 2 to 28 characters/],
      [[...add('x1', 'a\u001bb'), '--no-password'], 1, /^ratafia: A display name has /],
      [withPassword, 1, /^ratafia: The password is too short: use at least 8 /, 'short\n'],
      [withPassword, 1, /^ratafia: Enter a password\.\n/],
      [withPassword, 2, /is not UTF-8/, Buffer.from('caf\xe9-caf\xe9', 'latin1')],
      [withPassword, 2, /is too long for a password/, Buffer.alloc(10_000, 97)],
      [[...withPassword, '--no-password'], 2, /cannot be combined/],
      ['accounts link taken --subject s', 2, /Pass --issuer/],
    ] as const) {
      await refuses(words, message, code, { input })
    }
    const names = (await json('accounts list')).map(({ username }: { username: string }) => username)
    assert.ok(!names.includes('x1'))
  })

  test('accounts link refuses an identity that belongs to another account', async () => {
    for (const name of ['linked', 'other']) await program.addAccount(name)
    const link = (username: string) =>
      `accounts link ${username} --subject usso:x --issuer https://id.example.com/`
    await says(link('linked'), 'usso:x now logs in as linked.\n')
    assert.equal((await json(link('linked'))).username, 'linked')
    await refuses(link('other'), /^ratafia: This identity already belongs to the account "linked"\./)
  })

  describe('agents', () => {
    const adding = (name: string) =>
      `agents add ${name} --account owner --url https://store.example.com/identity`
    before(() => program.addAccount('owner'))

    test('add prints only the agents file on standard output', async () => {
      const { code, stdout, stderr } = await program.run(adding('ci'))
      assert.equal(code, 0)
      assert.equal(
        stderr,
        'Created the agent ci, which logs in as owner. Its private key is stored nowhere else.\n',
      )
      const { key, agents } = JSON.parse(stdout)
      assert.deepEqual(agents, [{ url: 'https://store.example.com/identity', username: 'ci' }])
      const pair = keyPairFromPrivateKey(Buffer.from(key.private, 'base64'))
      assert.equal(Buffer.from(pair.publicKey).toString('base64'), key.public)

      const [row] = await json('agents list --account owner')
      assert.deepEqual([row.name, row.account, row.public_key], ['ci', 'owner', key.public])
      await says('agents list', /^NAME +ACCOUNT +LIMITS +PUBLIC KEY +CREATED AT\nci +owner +none /)
      await refuses(adding('ci'), /^ratafia: An agent "ci" already exists\./)
      assert.deepEqual(await json('agents remove ci'), { removed: 'ci' })
      await says('agents list', /^No agents yet\./)
      assert.equal((await program.run('agents remove ci')).code, 1)
    })

    test('grants remove names the whole grant that it cannot find', () =>
      refusesEach`
        grants remove owner operator --brand zzz | 1 | There is no grant "owner:operator:zzz"\.
        grants remove owner operator | 1 | There is no grant "owner:operator"\.`)

    test('tokens revoke --account --all reports what it revoked, and accepts no session id', async () => {
      const all = 'tokens revoke --account owner --all'
      const revoked = await json(`${all} --yes`)
      assert.deepEqual([revoked.username, revoked.revoked], ['owner', 0])
      assert.equal((await json('accounts show owner')).logins_since, revoked.logins_since)
      await says(`${all} --yes`, /^Revoked 0 sessions of owner\. Its earlier logins no longer work/)
      for (const words of ['', '--all', '--account owner', 'x --account owner --all']) {
        assert.equal((await program.run(`tokens revoke ${words}`)).code, 2)
      }
      await refuses('tokens revoke --account unknown --all --yes', /There is no account "unknown"/)
    })

    test('limits of an agent are listed, and refused when no token can have them', async () => {
      const made = await json(
        `${adding('limited')} --permission package_upload --permission package_release --channel edge --package hello --store acme --max-lifetime 1h`,
      )
      assert.deepEqual(made.limits, {
        permissions: ['package_upload', 'package_release'],
        ...{ channels: ['edge'], packages: ['hello'], store_ids: ['acme'], max_lifetime_seconds: 3600 },
      })
      const [listed] = await json('agents list --account owner')
      assert.deepEqual(listed.limits, made.limits)
      await says(
        'agents list',
        /permission package_upload, package_release; channel edge; package hello; store acme; max-lifetime 3600s/,
      )
      const many = Array.from({ length: 257 }, (_, at) => `--channel c${at}`).join(' ')
      await refusesEach`
        ${adding('l2')} --channel é | 2 | --channel "é" is not 1 to 128 printable ASCII characters
        ${adding('l2')} ${many} | 2 | There are more than 256 --channel options
        ${adding('l2')} --max-lifetime soon | 2 | --max-lifetime`
    })

    for (const words of [adding('l2'), 'tokens create --url http://127.0.0.1:9', 'tokens attenuate']) {
      test(`${words} refuses an unknown permission as the other commands do`, async () => {
        const message = 'There is no permission "nope". docs/tokens.md lists all permissions.'
        await refuses(`${words} --permission nope`, `ratafia: ${message}\n`, 2)
      })
    }

    test('--json prints the row and the file', async () => {
      const made = await json(adding('json'))
      assert.deepEqual(Object.keys(made), ['name', 'account', 'public_key', 'limits', 'created_at', 'file'])
      assert.equal(made.file.key.public, made.public_key)
    })

    test('--output writes a file that only its owner can read, overwrites none, and leaves none', async () => {
      const [output, left] = ['agents.json', 'left'].map((name) => join(program.directory, name)) as [
        string,
        string,
      ]
      await says(
        `${adding('file')} --output ${output}`,
        `Created the agent file, which logs in as owner. Its agents file is ${output}.\n`,
      )
      assert.equal((await stat(output)).mode & 0o777, 0o600)
      assert.equal(JSON.parse(await readFile(output, 'utf8')).agents[0].username, 'file')
      await refusesEach`
        ${adding('f2')} --output ${output} | 1 | agents\.json already exists and is not overwritten\. No agent was created\.\n$
        ${adding('f2')} --output /nowhere/x | 1 | ^ratafia: /nowhere/x cannot be written: there is no such file or directory\. Check the path\. No agent was created\.\n$
        ${adding('x').replace('owner', 'unknown')} --output ${left} | 1 | no account`
      await assert.rejects(stat(left), { code: 'ENOENT' })
      const names = (await json('agents list')).map(({ name }: { name: string }) => name)
      assert.ok(!names.includes('f2'))
    })

    test('--public-key accepts an existing key, and does not print a file', async () => {
      const key = Buffer.from(generateKeyPair().publicKey).toString('base64')
      await says(`${adding('own')} --public-key ${key}`, 'Created the agent own, which logs in as owner.\n')
      await refusesEach`
        ${adding('own2')} --public-key ${key} | 1 | ^ratafia: Another agent has this key\.
        ${adding('own')} --public-key ${key} --output x | 2 | ^ratafia: With --public-key there is no agents file to write\. Leave out --output\.\n$`
    })

    test('refuses an identity location that clients cannot reach', async () => {
      const words = 'agents add lost --account owner'
      await refusesEach`
        ${words} | 2 | ^ratafia: Pass --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL, the address is not known\.
        ${words} --url store | 2 | --url`
      const environment = { RATAFIA_BASE_URL: 'https://store.example.com/' }
      const { file } = JSON.parse(await says(`${words} --json`, undefined, { environment }))
      assert.equal(file.agents[0].url, 'https://store.example.com/identity')
    })
  })

  test('control characters in names never reach the terminal, and JSON keeps them escaped', async () => {
    const installation = await program.open()
    const evil = 'a\u001b[31m\u009bb\u202ec\u{e0001}'
    const { query } = installation.database
    await query.updateTable('account').set({ name: evil }).where('username', '=', 'owner').execute()
    for (const words of ['accounts list', 'accounts show owner', 'accounts show owner --json']) {
      assert.doesNotMatch((await says(words)).replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    }
    assert.equal((await json('accounts show owner')).name, evil)
  })
})
