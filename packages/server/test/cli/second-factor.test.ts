/** An operator uses `ratafia accounts totp`, `reset-link`, `password-logins` and `set-email`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeAt } from '../../src/accounts/second-factor/totp.ts'
import { secondFactorPurpose } from '../../src/keyring/sealing.ts'
import { eachDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { type Program, testProgram } from '../support/program.ts'

const PASSWORD = 'correct horse battery'
const [OLD, NEW] = [Buffer.alloc(32, 9).toString('base64'), Buffer.alloc(32, 10).toString('base64')]

const add = (program: Program, username: string, email = `${username}@example.org`, options = {}) =>
  program.run(['accounts', 'add', username, '--email', email, '--name', username, '--password-stdin'], {
    ...{ input: PASSWORD, ...options },
  })
const secretOf = (base32: string): Buffer => {
  const bits = [...base32].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says, refuses } = program

  test('totp enable prints a secret, a link and recovery codes once, and totp reset replaces them', async () => {
    const service = await program.serve()
    assert.equal((await add(program, 'ann')).code, 0)
    const stdout = await says(
      'accounts totp enable ann',
      /^The account ann now has a second factor\. Save these values: they are not shown again\.$/m,
    )
    const [, secret = ''] = /^Secret: +([A-Z2-7]{32})$/m.exec(stdout) ?? []
    assert.match(stdout, new RegExp(`^Link: +otpauth://totp/.*[?&]secret=${secret}&`, 'm'))
    assert.equal([...stdout.matchAll(/^ {2}[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/gm)].length, 10)
    const shown = await json('accounts show ann')
    assert.equal(shown.second_factor, true)
    assert.match(shown.logins_since, /Z$/)
    assert.ok(!JSON.stringify(shown).includes(secret))
    await refuses('accounts totp enable ann', /^ratafia: The account "ann" already has a second factor\. /)

    const signIn = async (code: string) => {
      const browser = new Browser()
      const page = await browser.open(`${service.baseUrl}/identity/account`)
      const asked = await browser.submit(page, 'login', { username: 'ann', password: PASSWORD })
      return (await browser.submit(asked, 'second-factor', { code })).title
    }
    assert.equal(await signIn(codeAt(secretOf(secret), new Date())), 'Your account')

    const reset = await json('accounts totp reset ann')
    assert.deepEqual(Object.keys(reset), ['username', 'secret', 'uri', 'recovery_codes'])
    assert.notEqual(reset.secret, secret)
    assert.equal(await signIn(codeAt(secretOf(secret), new Date(Date.now() + 30_000))), 'Enter a code')
    assert.equal(await signIn(reset.recovery_codes[4]), 'Your account')
    assert.deepEqual(await json('accounts totp disable ann'), { username: 'ann', second_factor: false })
    for (const what of ['disable', 'reset']) {
      await refuses(`accounts totp ${what} ann`, /^ratafia: The account "ann" has no second factor\. /)
    }
  })

  const RATAFIA_BASE_URL = 'https://store.example.org'

  test('sign-in-link works only on the database, and only with the bundled identity service', async () => {
    const made = await program.run('sign-in-link ann', { environment: { RATAFIA_BASE_URL } })
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /^https:\/\/store\.example\.org\/identity\/sign-in-link\?secret=[\w-]{43}\n$/)
    assert.match(made.stderr, /^Anyone with the link can sign in as ann, once, until /)
    const separate = {
      ...{ RATAFIA_BASE_URL, RATAFIA_IDENTITY_URL: 'https://id.example.org' },
      RATAFIA_IDENTITY_PUBLIC_KEY: Buffer.alloc(32, 9).toString('base64'),
    }
    for (const [environment, message] of [
      [{ RATAFIA_URL: 'https://store.example.org' }, /works only on the database/],
      [separate, /This service uses a separate identity service/],
    ] as const) {
      await refuses('sign-in-link ann', message, 2, { environment })
    }
  })

  test('reset-link prints a link below the base URL, or at the separate identity service', async () => {
    assert.equal((await add(program, 'bob')).code, 0)
    const made = await program.run('accounts reset-link bob', { environment: { RATAFIA_BASE_URL } })
    assert.match(made.stdout, /^https:\/\/store\.example\.org\/identity\/reset\?secret=[\w-]{43}\n$/)
    assert.match(made.stderr, /^Anyone with the link can set the password of bob, once, until .*Z or until/)
    const elsewhere = 'accounts reset-link bob --url https://id.example.org'
    const alone = await json(`${elsewhere} --expires 2h`)
    assert.match(alone.url, /^https:\/\/id\.example\.org\/reset\?secret=/)
    assert.ok(Math.abs(Date.parse(alone.expires_at) - Date.now() - 7_200_000) < 60_000)
    await program.refusesEach`
      accounts reset-link bob | 2 | ^ratafia: Pass --url: 
      ${elsewhere} --expires 31d | 2 | --expires
      ${elsewhere} --expires 2020-01-01T00:00:00Z | 2 | --expires
      ${elsewhere} --expires soon | 2 | --expires`
  })

  test('password-logins can be switched off for several accounts, and on again', async () => {
    for (const name of ['carl', 'dora']) await program.addAccount(name)
    const of = async (name: string) => (await json(`accounts show ${name}`)).password_logins
    const off = 'accounts password-logins off carl dora'
    await says(off, /^Programs can no longer log in with the password of carl\. /)
    assert.deepEqual([await of('carl'), await of('dora')], [false, false])
    assert.equal((await json('accounts password-logins on carl')).password_logins, true)
    await refuses('accounts password-logins maybe carl', 'ratafia: Give "on" or "off", not "maybe".\n', 2)
  })

  test('an e-mail address belongs to one account with a password, whatever its case or spelling', async () => {
    const taken = /^ratafia: Another account with a password has this e-mail address\./
    assert.equal((await add(program, 'zoe', 'zoë@xn--exmple-cua.org')).code, 0)
    assert.equal((await json('accounts show zoe')).email, 'zoë@exämple.org')
    assert.equal((await add(program, 'eve')).code, 0)
    for (const spelling of ['ZOË@EXÄMPLE.org', 'zoe\u0308@exa\u0308mple.org', 'mailto:zoë@exämple.org']) {
      const { code, stderr } = await add(program, 'zed', spelling)
      assert.equal(code, 1, spelling)
      assert.match(
        stderr,
        /^ratafia: Another account with a password has the e-mail address .*\. Each needs its own, /,
      )
      await refuses(`accounts set-email eve ${spelling}`, taken)
    }
    // Accounts without a password can share an address.
    await says('accounts add gus --email zoë@exämple.org --name Gus --no-password')
    const setting = ['accounts set-password gus --password-stdin', { input: PASSWORD }] as const
    assert.match((await program.run(...setting)).stderr, taken)
    await says(
      'accounts set-email gus gus@example.org',
      'The e-mail address of gus is now gus@example.org.\n',
    )
    assert.equal((await program.run(...setting)).code, 0)
    await refuses('accounts set-email gus nothing', /^ratafia: "nothing" is not an e-mail address/)
    const [entry] = await json('audit list --action account.set-email')
    assert.equal(entry.subject, 'gus')
  })
})

describe('after a rotation of the secret key', () => {
  eachDatabase((_kind, open, fresh) => {
    const program = testProgram(fresh)
    test('secrets of second factors are sealed under the new key, and verify opens them', async () => {
      const [old, now] = [{ RATAFIA_SECRET_KEY: OLD }, { RATAFIA_SECRET_KEY: NEW }]
      assert.equal((await add(program, 'ann', undefined, { environment: old })).code, 0)
      const enabled = await program.says('accounts totp enable ann --json', undefined, { environment: old })
      const { secret } = JSON.parse(enabled)
      const both = { ...now, RATAFIA_PREVIOUS_SECRET_KEY: OLD }
      await program.says('secret rotate', undefined, { environment: both })
      await program.says('verify', undefined, { environment: now })
      const { accounts, secondFactors, sealer } = await program.open(now)
      const ann = (await accounts.findPasswordByEmail('ann@example.org'))?.account ?? assert.fail()
      const [factor] = await secondFactors.of(ann.id)
      assert.ok(factor)
      assert.deepEqual(sealer.unseal(secondFactorPurpose(factor.id), factor.sealed), secretOf(secret))

      // Verify reports a secret that was moved to another row, where it does not open.
      const { query } = await open()
      await query.updateTable('second_factor').set({ id: 'another' }).where('id', '=', factor.id).execute()
      const { code, stdout } = await program.run('verify', { environment: now })
      assert.equal(code, 1)
      assert.match(stdout, /The second factor another does not open/)
    })
  })
})
