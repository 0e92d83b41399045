/** An operator uses `ratafia accounts totp`, `reset-link`, `password-logins` and `set-email`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeAt } from '../../src/accounts/second-factor/totp.ts'
import { secondFactorPurpose } from '../../src/keyring/sealing.ts'
import { line } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { type Program, testProgram } from '../support/program.ts'

const PASSWORD = 'correct horse battery'
const [OLD, NEW] = [Buffer.alloc(32, 9).toString('base64'), Buffer.alloc(32, 10).toString('base64')]

const add = async (program: Program, username: string, email = `${username}@example.org`) => {
  const words = ['accounts', 'add', username, '--email', email, '--name', username, '--password-stdin']
  return program.run(words, { input: PASSWORD })
}
const secretOf = (base32: string): Buffer => {
  const bits = [...base32].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const refused = async (words: readonly string[], message: RegExp, exit = 1) => {
    const { code, stdout, stderr } = await program.run(words)
    assert.deepEqual([code, stdout], [exit, ''], stderr)
    assert.match(stderr, message)
  }

  test('totp enable prints a secret, a link and recovery codes once, and totp reset replaces them', async () => {
    const service = await program.serve()
    assert.equal((await add(program, 'ann')).code, 0)
    const { stdout } = await program.run(['accounts', 'totp', 'enable', 'ann'])
    const [, secret = ''] = /^Secret: +([A-Z2-7]{32})$/m.exec(stdout) ?? []
    assert.match(
      stdout,
      /^The account ann now has a second factor\. Save these values: they are not shown again\.$/m,
    )
    assert.match(stdout, new RegExp(`^Link: +otpauth://totp/.*[?&]secret=${secret}&`, 'm'))
    assert.equal([...stdout.matchAll(/^ {2}[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/gm)].length, 10)
    const shown = await program.json('accounts', 'show', 'ann')
    assert.equal(shown.second_factor, true)
    assert.match(shown.logins_since, /Z$/)
    assert.ok(!JSON.stringify(shown).includes(secret))
    await refused(
      ['accounts', 'totp', 'enable', 'ann'],
      /^ratafia: The account "ann" already has a second factor\. /,
    )

    const signIn = async (code: string) => {
      const browser = new Browser()
      const page = await browser.open(`${service.baseUrl}/identity/account`)
      const asked = await browser.submit(page, 'login', { username: 'ann', password: PASSWORD })
      return (await browser.submit(asked, 'second-factor', { code })).title
    }
    assert.equal(await signIn(codeAt(secretOf(secret), new Date())), 'Your account')

    const reset = await program.json('accounts', 'totp', 'reset', 'ann')
    assert.deepEqual(Object.keys(reset), ['username', 'secret', 'uri', 'recovery_codes'])
    assert.notEqual(reset.secret, secret)
    assert.equal(await signIn(codeAt(secretOf(secret), new Date(Date.now() + 30_000))), 'Enter a code')
    assert.equal(await signIn(reset.recovery_codes[4]), 'Your account')
    assert.deepEqual(await program.json('accounts', 'totp', 'disable', 'ann'), {
      ...{ username: 'ann', second_factor: false },
    })
    for (const what of ['disable', 'reset']) {
      await refused(['accounts', 'totp', what, 'ann'], /^ratafia: The account "ann" has no second factor\. /)
    }
  })

  test('sign-in-link works only on the database, and only with the bundled identity service', async () => {
    const made = await program.run(['sign-in-link', 'ann'], {
      environment: { RATAFIA_BASE_URL: 'https://store.example.org' },
    })
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /^https:\/\/store\.example\.org\/identity\/sign-in-link\?secret=[\w-]{43}\n$/)
    assert.match(made.stderr, /^Anyone with the link can sign in as ann, once, until /)
    const environment = { RATAFIA_URL: 'https://store.example.org' }
    const wrongWay = await program.run(['sign-in-link', 'ann'], { environment })
    assert.deepEqual([wrongWay.code, wrongWay.stdout], [2, ''])
    assert.match(wrongWay.stderr, /works only on the database/)
    const elsewhere = await program.run(['sign-in-link', 'ann'], {
      environment: {
        RATAFIA_BASE_URL: 'https://store.example.org',
        RATAFIA_IDENTITY_URL: 'https://id.example.org',
        RATAFIA_IDENTITY_PUBLIC_KEY: Buffer.alloc(32, 9).toString('base64'),
      },
    })
    assert.deepEqual([elsewhere.code, elsewhere.stdout], [2, ''])
    assert.match(elsewhere.stderr, /This service uses a separate identity service/)
  })

  test('reset-link prints a link below the base URL, or at the separate identity service', async () => {
    assert.equal((await add(program, 'bob')).code, 0)
    const made = await program.run(['accounts', 'reset-link', 'bob'], {
      environment: { RATAFIA_BASE_URL: 'https://store.example.org/' },
    })
    assert.match(made.stdout, /^https:\/\/store\.example\.org\/identity\/reset\?secret=[\w-]{43}\n$/)
    assert.match(made.stderr, /^Anyone with the link can set the password of bob, once, until .*Z or until/)
    const url = ['--url', 'https://id.example.org']
    const alone = await program.json('accounts', 'reset-link', 'bob', ...url, '--expires', '2h')
    assert.match(alone.url, /^https:\/\/id\.example\.org\/reset\?secret=/)
    assert.ok(Math.abs(Date.parse(alone.expires_at) - Date.now() - 7_200_000) < 60_000)
    await refused(['accounts', 'reset-link', 'bob'], /^ratafia: Pass --url: /, 2)
    for (const expires of ['31d', '2020-01-01T00:00:00Z', 'soon']) {
      await refused(['accounts', 'reset-link', 'bob', ...url, '--expires', expires], /--expires/, 2)
    }
  })

  test('password-logins can be switched off for several accounts, and on again', async () => {
    for (const name of ['carl', 'dora']) assert.equal((await add(program, name)).code, 0)
    const of = async (name: string) => (await program.json('accounts', 'show', name)).password_logins
    const { code, stdout } = await program.run(['accounts', 'password-logins', 'off', 'carl', 'dora'])
    assert.equal(code, 0)
    assert.match(stdout, /^Programs can no longer log in with the password of carl\. /)
    assert.deepEqual([await of('carl'), await of('dora')], [false, false])
    assert.equal((await program.json('accounts', 'password-logins', 'on', 'carl')).password_logins, true)
    const rows = await program.json('accounts', 'list')
    const dora = rows.find(({ username }: { username: string }) => username === 'dora')
    assert.deepEqual([dora.password_logins, dora.second_factor], [false, false])
    await refused(
      ['accounts', 'password-logins', 'maybe', 'carl'],
      /^ratafia: Give "on" or "off", not "maybe"\.\n$/,
      2,
    )
  })

  test('an e-mail address belongs to one account with a password, whatever its case or spelling', async () => {
    const taken = /^ratafia: Another account with a password has this e-mail address\./
    assert.equal((await add(program, 'zoe', 'zoë@xn--exmple-cua.org')).code, 0)
    assert.equal((await program.json('accounts', 'show', 'zoe')).email, 'zoë@exämple.org')
    assert.equal((await add(program, 'eve')).code, 0)
    for (const spelling of ['ZOË@EXÄMPLE.org', 'zoe\u0308@exa\u0308mple.org', 'mailto:zoë@exämple.org']) {
      const { code, stderr } = await add(program, 'zed', spelling)
      assert.equal(code, 1, spelling)
      assert.match(
        stderr,
        /^ratafia: Another account with a password has the e-mail address .*\. Each needs its own, /,
      )
      await refused(['accounts', 'set-email', 'eve', spelling], taken)
    }
    const bare = line`accounts add gus --email zoë@exämple.org --name Gus --no-password`
    assert.equal((await program.run(bare)).code, 0, 'accounts without a password can share an address')
    const password = () =>
      program.run(['accounts', 'set-password', 'gus', '--password-stdin'], { input: PASSWORD })
    assert.match((await password()).stderr, taken)
    const told = await program.run(['accounts', 'set-email', 'gus', 'gus@example.org'])
    assert.equal(told.stdout, 'The e-mail address of gus is now gus@example.org.\n')
    assert.equal((await password()).code, 0)
    await refused(['accounts', 'set-email', 'gus', 'nothing'], /^ratafia: "nothing" is not an e-mail address/)
    const [entry] = await program.json('audit', 'list', '--action', 'account.set-email')
    assert.equal(entry.subject, 'gus')
  })
})

describe('after a rotation of the secret key', () => {
  eachDatabase((_kind, open, fresh) => {
    const program = testProgram(fresh)
    test('secrets of second factors are sealed under the new key, and verify opens them', async () => {
      const run = async (words: readonly string[], environment: Record<string, string>, input?: string) => {
        const { code, stdout, stderr } = await program.run(words, {
          environment,
          ...(input ? { input } : {}),
        })
        assert.equal(code, 0, stderr)
        return stdout
      }
      const old = { RATAFIA_SECRET_KEY: OLD }
      const words = line`accounts add ann --email ann@example.org --name Ann --password-stdin`
      await run(words, old, PASSWORD)
      const { secret } = JSON.parse(await run(['accounts', 'totp', 'enable', 'ann', '--json'], old))
      await run(['secret', 'rotate'], { RATAFIA_SECRET_KEY: NEW, RATAFIA_PREVIOUS_SECRET_KEY: OLD })
      await run(['verify'], { RATAFIA_SECRET_KEY: NEW })
      const { accounts, secondFactors, sealer } = await program.open({ RATAFIA_SECRET_KEY: NEW })
      const ann = (await accounts.findPasswordByEmail('ann@example.org'))?.account ?? assert.fail()
      const [factor] = await secondFactors.of(ann.id)
      assert.ok(factor)
      assert.deepEqual(sealer.unseal(secondFactorPurpose(factor.id), factor.sealed), secretOf(secret))

      // Verify reports a secret that was moved to another row, where it does not open.
      const { query } = await open()
      await query.updateTable('second_factor').set({ id: 'another' }).where('id', '=', factor.id).execute()
      const { code, stdout } = await program.run(['verify'], { environment: { RATAFIA_SECRET_KEY: NEW } })
      assert.equal(code, 1)
      assert.match(stdout, /The second factor another does not open/)
    })
  })
})
