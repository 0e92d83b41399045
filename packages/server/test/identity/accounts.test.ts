/** The accounts' store and operations, on every database. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newAccountId } from '@ratafia/api'
import { requireEnabled } from '../../src/accounts/account.ts'
import { loginName } from '../../src/accounts/account-fields.ts'
import { signInSessionStore } from '../../src/accounts/browsers/sign-in-session-store.ts'
import { findAccount } from '../../src/accounts/find.ts'
import { listAccounts } from '../../src/accounts/list.ts'
import { findByLoginName, verifyPassword } from '../../src/accounts/passwords/verify-password.ts'
import { accountOfIdentity, type IdentityRules } from '../../src/accounts/resolve-identity.ts'
import type { Database } from '../../src/database/index.ts'
import { addAccount, disableAccount, enableAccount, linkIdentity, setPassword } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { cheapPasswords } from '../support/passwords.ts'
import { storesOf } from '../support/stores.ts'

const ISSUER = 'https://id.example.org'
const BUNDLED = 'http://127.0.0.1:8080/identity'

eachDatabase((_kind, open) => {
  let database: Database
  const now = new Date('2026-11-20T10:00:00.000Z')
  const clock = () => now
  const passwords = cheapPasswords()
  const signedOut: string[] = []
  const deps = () => {
    const signInSessions = {
      ...signInSessionStore(database),
      removeAllOf: async (id: string) => void signedOut.push(id),
    }
    return { ...storesOf(database, { clock, passwords, signInSessions }) }
  }
  const rules = (rule: 'auto' | 'known' = 'auto'): IdentityRules => ({
    ...deps(),
    source: 'test',
    rule,
    bundledIssuer: BUNDLED,
  })
  const count = async () => {
    const rows = await database.query.selectFrom('account').select('id').execute()
    return rows.length
  }
  const check = async (
    { username, password }: { readonly username: string; readonly password: string },
    on: Parameters<typeof verifyPassword>[1],
  ) => verifyPassword({ found: await findByLoginName(loginName(username), on), password }, on)
  const add = (username: string, password?: string) =>
    addAccount({ username, email: `${username}@example.org`, name: `The ${username}`, password }, deps())

  before(async () => {
    database = await open()
  })

  test('finds an added account by username and by id', async () => {
    const bob = await add('bob', 'correct horse')
    assert.deepEqual(await findAccount('bob', deps()), bob)
    assert.deepEqual(await findAccount(bob.id, deps()), bob)
    assert.deepEqual(
      { ...bob, id: 'x' },
      {
        id: 'x',
        username: 'bob',
        email: 'bob@example.org',
        name: 'The bob',
        hasPassword: true,
        disabledAt: undefined,
        loginsSince: undefined,
        passwordLoginsOffAt: undefined,
        remindersOffAt: undefined,
        createdAt: now,
      },
    )
    for (const unknown of ['alice', newAccountId(), '', 'x'.repeat(1000)]) {
      await assert.rejects(findAccount(unknown, deps()), {
        code: 'no-such-record',
        message: /There is no account "/,
      })
    }
  })

  test('gives a username to one account, even if fifty ask for it at the same moment', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => add('race')))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    const lost = results.find(({ status }) => status === 'rejected')
    assert.ok(lost?.status === 'rejected')
    assert.equal(lost.reason.code, 'already-exists')
    assert.equal(lost.reason.message, 'The username "race" is taken. Choose another one.')
  })

  test('no stored column contains the password', async () => {
    await add('carol', 'a very secret text')
    const rows = await database.query.selectFrom('account').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /a very secret text/)
  })

  test('a password is right or wrong; without an account, without a password and for an impossible text it is wrong', async () => {
    await add('dave', 'correct horse')
    await add('erin')
    const verdict = async (username: string, password: string) =>
      (await check({ username, password }, deps())).verdict
    assert.equal(await verdict('dave', 'correct horse'), 'right')
    assert.equal(await verdict('dave', 'correct horsf'), 'wrong')
    assert.equal(await verdict('dave', ''), 'wrong')
    assert.equal(await verdict('dave', 'x'.repeat(5000)), 'wrong')
    assert.equal(await verdict('erin', ''), 'wrong')
    assert.equal(await verdict('unknown', 'correct horse'), 'wrong')
    assert.equal(await verdict("' or 1=1 --", 'correct horse'), 'wrong')
  })

  test('every wrong sign-in costs one hash, so timing does not reveal whether an account exists', async () => {
    const hashed: (string | undefined)[] = []
    const counting = {
      ...passwords,
      verify: (password: Uint8Array, stored: string | undefined) => {
        hashed.push(stored)
        return passwords.verify(password, stored)
      },
    }
    for (const [username, password] of [
      ['dave', 'no'],
      ['unknown', 'no'],
      ['erin', 'no'],
      ['?', 'no'],
      ['dave', 'x'.repeat(9999)],
    ]) {
      await check(
        { username: String(username), password: String(password) },
        { ...deps(), passwords: counting },
      )
    }
    assert.equal(hashed.length, 5)
  })

  test('only the right password reveals that an account is disabled, and disabling signs it out', async () => {
    const frank = await add('frank', 'correct horse')
    const disabled = await disableAccount('frank', deps())
    assert.deepEqual(disabled.disabledAt, now)
    assert.ok(signedOut.includes(frank.id))
    assert.equal((await check({ username: 'frank', password: 'correct horse' }, deps())).verdict, 'disabled')
    assert.equal((await check({ username: 'frank', password: 'wrong' }, deps())).verdict, 'wrong')
    assert.throws(() => requireEnabled(disabled), {
      code: 'macaroon-authorization-required',
      message:
        'The account "frank" has been disabled since 2026-11-20T10:00:00.000Z. Ask the operator of this service to enable it.',
    })
    const later = await disableAccount('frank', { ...deps(), clock: () => new Date('2027-01-01T00:00:00Z') })
    assert.deepEqual(later.disabledAt, now, 'disabling it again keeps the first time')
    assert.equal((await enableAccount('frank', deps())).disabledAt, undefined)
    assert.equal(requireEnabled(await findAccount('frank', deps())).username, 'frank')
    await assert.rejects(disableAccount('unknown', deps()), { code: 'no-such-record' })
    await assert.rejects(enableAccount('unknown', deps()), { code: 'no-such-record' })
  })

  test('a new password replaces the old one and signs the account out', async () => {
    const gina = await add('gina')
    await assert.rejects(setPassword({ account: 'gina', password: 'short' }, deps()), {
      code: 'invalid-field',
    })
    assert.equal(
      (await setPassword({ account: 'gina', password: 'first password' }, deps())).hasPassword,
      true,
    )
    assert.ok(signedOut.includes(gina.id))
    await setPassword({ account: gina.id, password: 'second password' }, deps())
    assert.equal((await check({ username: 'gina', password: 'first password' }, deps())).verdict, 'wrong')
    assert.equal((await check({ username: 'gina', password: 'second password' }, deps())).verdict, 'right')
  })

  test('lists every account once, in pages', async () => {
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listAccounts({ after, limit: 3, authority: deciding() }, deps())
      assert.ok(page.accounts.length <= 3)
      seen.push(...page.accounts.map(({ username }) => username))
      if (page.next === undefined) break
      after = page.next
    }
    assert.equal(seen.length, await count())
    assert.equal(new Set(seen).size, seen.length)
    await assert.rejects(listAccounts({ after: 'NOT A NAME', authority: deciding() }, deps()), {
      code: 'invalid-field',
    })
  })

  test('the bundled service vouches for accounts themselves, by id or by username', async () => {
    const hugo = await add('hugo')
    assert.equal((await accountOfIdentity({ issuer: BUNDLED, subject: hugo.id }, rules())).id, hugo.id)
    assert.equal((await accountOfIdentity({ issuer: BUNDLED, subject: 'hugo' }, rules('known'))).id, hugo.id)
    const before = await count()
    for (const subject of [newAccountId(), 'unknown', '']) {
      await assert.rejects(accountOfIdentity({ issuer: BUNDLED, subject }, rules()), {
        code: 'macaroon-authorization-required',
        message: /no longer exists/,
      })
    }
    assert.equal(await count(), before)
    await disableAccount('hugo', deps())
    await assert.rejects(accountOfIdentity({ issuer: BUNDLED, subject: 'hugo' }, rules()), {
      message: /has been disabled/,
    })
  })

  test('an external service cannot vouch for the accounts here by their id or username', async () => {
    const ivan = await add('ivan')
    for (const subject of ['ivan', ivan.id]) {
      const account = await accountOfIdentity({ issuer: ISSUER, subject }, rules())
      assert.notEqual(account.id, ivan.id)
    }
  })

  test('a first login through an external service creates an account; the second finds it', async () => {
    const first = await accountOfIdentity({ issuer: ISSUER, subject: 'Jörg Müller@example' }, rules())
    assert.deepEqual(
      { username: first.username, email: first.email, name: first.name, hasPassword: first.hasPassword },
      { username: 'jorg-muller-example', email: '', name: 'Jörg Müller@example', hasPassword: false },
    )
    const second = await accountOfIdentity({ issuer: ISSUER, subject: 'Jörg Müller@example' }, rules('known'))
    assert.equal(second.id, first.id)
    const elsewhere = await accountOfIdentity(
      { issuer: 'https://other', subject: 'Jörg Müller@example' },
      rules(),
    )
    assert.equal(elsewhere.username, 'jorg-muller-example-2')
  })

  for (const [subject, username] of [
    ['山田', /^user-2$/],
    ['x', /^x-2$/],
    ['Operator', /^operator-2$/],
    ['a-0123456789abcdef0123456789abcdef@candid', /^a-0123456789abcdef0123456789$/],
    ['--Ab__c--', /^ab-c$/],
  ] as const) {
    test(`the subject ${subject} becomes the username ${username}`, async () => {
      assert.match((await accountOfIdentity({ issuer: ISSUER, subject }, rules())).username, username)
    })
  }

  test('fifty first logins at the same moment create one account', async () => {
    const before = await count()
    const all = await Promise.all(
      Array.from({ length: 50 }, () => accountOfIdentity({ issuer: ISSUER, subject: 'rush@hour' }, rules())),
    )
    assert.equal(new Set(all.map(({ id }) => id)).size, 1)
    assert.equal(await count(), before + 1)
  })

  test('users with the same slug get different usernames, even at the same moment', async () => {
    const subjects = Array.from({ length: 9 }, (_, index) => `same${'!'.repeat(index)}`)
    const all = await Promise.all(
      subjects.map((subject) => accountOfIdentity({ issuer: ISSUER, subject }, rules())),
    )
    assert.equal(new Set(all.map(({ username }) => username)).size, 9)
  })

  test('with the rule "known", an unknown user is refused with a code of its own, and nothing is written', async () => {
    const before = await count()
    await assert.rejects(accountOfIdentity({ issuer: ISSUER, subject: 'stranger' }, rules('known')), {
      code: 'account-unknown',
      message: /https:\/\/id\.example\.org vouches for "stranger", who has no account here/,
    })
    assert.equal(await count(), before)
  })

  for (const subject of ['', 'a\nb', 'x'.repeat(257), '\ud800']) {
    test(`the subject ${JSON.stringify(subject.slice(0, 9))} is refused`, async () => {
      await assert.rejects(accountOfIdentity({ issuer: ISSUER, subject }, rules()), { code: 'invalid-field' })
    })
  }

  test('a linked identity logs in as its account, and cannot be linked to another', async () => {
    const kate = await add('kate')
    await add('liam')
    const identity = { issuer: ISSUER, subject: 'kate@work' }
    await linkIdentity({ account: 'kate', ...identity }, deps())
    await linkIdentity({ account: 'kate', ...identity }, deps())
    assert.equal((await accountOfIdentity(identity, rules('known'))).id, kate.id)
    await assert.rejects(linkIdentity({ account: 'liam', ...identity }, deps()), {
      code: 'invalid-field',
      message: /belongs to the account "kate"/,
    })
    await assert.rejects(linkIdentity({ account: 'unknown', ...identity }, deps()), {
      code: 'no-such-record',
    })
  })
})
