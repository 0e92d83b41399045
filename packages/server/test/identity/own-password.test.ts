/** A new password over HTTP, on every database: by its owner, and through a one-time link. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { useResetLink } from '../../src/accounts/one-time-links/reset-link.ts'
import { UNCOUNTED } from '../../src/counting/tally.ts'
import { changeOwnPassword } from '../../src/identity/self-service/change-own-password.ts'
import {
  addAccount,
  addUser,
  disableAccount,
  enableSecondFactor,
  makeResetLink,
  PASSWORD,
  setPassword,
} from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  Browser,
  type IdentityWorld,
  identityWorld,
  type Page,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

const NEW = 'another long password'
const HOUR_MS = 3_600_000

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  before(async () => {
    world = await identityWorld(await open())
  })
  // This service has its own counters.
  beforeEach(async () => {
    identity = await startIdentity(world)
  })
  afterEach(() => identity.app.close())

  const addPerson = () => addUser(world)
  const signIn = async (browser: Browser, { username }: Account, password = PASSWORD): Promise<Page> =>
    browser.submit(await browser.open(`${identity.location}/account`), 'login', { username, password })
  const signsIn = async (account: Account, password: string) =>
    (await signIn(new Browser(), account, password)).title === 'Your account'
  const problemOf = ({ text }: Page) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1]
  const actionsOf = async ({ username }: Account) =>
    (await world.audit.list({ subject: username }, { limit: 100 })).map(({ action }) => action).reverse()

  describe('a new password by its owner', () => {
    const change = async (browser: Browser, fields: Record<string, string>) =>
      browser.submit(await browser.open(`${identity.location}/change-password`), 'change-password', fields)

    test('requires the old one, and signs out the other browsers, but not this one', async () => {
      const ann = await addPerson()
      const [here, there] = [new Browser(), new Browser()]
      for (const browser of [here, there]) await signIn(browser, ann)
      const earlier = new Map(here.cookies)
      const done = await change(here, { old: PASSWORD, password: NEW, again: NEW })
      assert.equal(done.title, 'Your account')
      assert.match(done.text, /Password changed\./)
      assert.equal((await there.open(`${identity.location}/account`)).title, 'Sign in')
      assert.deepEqual([await signsIn(ann, PASSWORD), await signsIn(ann, NEW)], [false, true])
      assert.deepEqual((await actionsOf(ann)).slice(3, 5), ['account.change-password', 'account.sign-in'])
      const account = await world.accounts.findById(ann.id)
      assert.ok(account?.loginsSince, 'its unused logins are revoked')
      here.cookies.clear()
      for (const [name, value] of earlier) here.cookies.set(name, value)
      assert.equal(
        (await here.open(`${identity.location}/account`)).title,
        'Sign in',
        'its session is a new one',
      )
    })

    for (const [what, fields, problem] of [
      ['a wrong old one', { old: 'wrong password' }, /^The current password is wrong\.$/],
      ['two different new ones', { again: 'yet another password' }, /^The two new passwords differ\.$/],
      [
        'a short one',
        { password: 'short', again: 'short' },
        /^The password is too short: use at least 8 characters/,
      ],
      ['one of nothing', { password: '', again: '' }, /^Enter a password/],
    ] as const) {
      test(`${what} changes nothing`, async () => {
        const ann = await addPerson()
        const browser = new Browser()
        await signIn(browser, ann)
        const page = await change(browser, { old: PASSWORD, password: NEW, again: NEW, ...fields })
        assert.deepEqual([page.status, page.title], [403, 'Change your password'])
        assert.match(problemOf(page) ?? '', problem)
        assert.doesNotMatch(page.text, /correct horse|another long/)
        assert.equal(await signsIn(ann, PASSWORD), true)
      })
    }

    test('slows down guessing the old one, as at the sign-in', async () => {
      const ann = await addPerson()
      const browser = new Browser()
      await signIn(browser, ann)
      // Ten guesses for the account, and ten from the network that the user signed in from before.
      for (let guess = 0; guess < 20; guess++) {
        assert.equal(
          (await change(browser, { old: `guess ${guess}`, password: NEW, again: NEW })).status,
          403,
        )
      }
      const page = await change(browser, { old: PASSWORD, password: NEW, again: NEW })
      assert.deepEqual([page.status, page.title], [429, 'Too many attempts'])
    })

    test('keeps a password that the operator sets meanwhile', async () => {
      const ann = await addPerson()
      const passwords: IdentityWorld['passwords'] = {
        ...world.passwords,
        hash: async (password) => {
          const hash = await world.passwords.hash(password)
          await setPassword({ account: ann.id, password: 'set by the operator' }, world)
          return hash
        },
      }
      const deps = { ...world, passwords, tally: UNCOUNTED, ...unlimited, location: identity.location }
      const input = { old: PASSWORD, password: NEW, address: '192.0.2.1' }
      const browser = { account: ann, sessionHash: Buffer.alloc(32) }
      assert.equal((await changeOwnPassword({ browser, ...input }, deps)).outcome, 'wrong')
      assert.deepEqual([await signsIn(ann, NEW), await signsIn(ann, 'set by the operator')], [false, true])
    })
  })

  describe('a new password through a one-time link', () => {
    const link = async ({ id }: Account, lifetimeMs = HOUR_MS) => {
      const { secret } = await makeResetLink({ account: id, lifetimeMs }, world)
      return { secret, url: `${identity.location}/reset?secret=${secret}` }
    }
    const reset = async (url: string, fields: Record<string, string> = {}) => {
      const browser = new Browser()
      return browser.submit(await browser.open(url), 'reset', { password: NEW, again: NEW, ...fields })
    }
    const OVER = 'This link does not work'

    test('sets the password once, signs every browser out, and links to the sign-in', async () => {
      const ann = await addPerson()
      const elsewhere = new Browser()
      await signIn(elsewhere, ann)
      const { url } = await link(ann)
      const page = await new Browser().open(url)
      assert.deepEqual([page.status, page.title], [200, 'Set a new password'])
      assert.match(page.text, new RegExp(ann.username))
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(page.headers.get('cache-control'), 'no-store')
      const done = await reset(url)
      assert.deepEqual([done.status, done.title], [200, 'Password set'])
      assert.equal((await elsewhere.open(`${identity.location}/account`)).title, 'Sign in')
      assert.deepEqual([await signsIn(ann, PASSWORD), await signsIn(ann, NEW)], [false, true])
      const again = await new Browser().open(url)
      assert.deepEqual([again.status, again.title], [410, OVER])
      assert.deepEqual((await actionsOf(ann)).slice(2, 4), ['account.reset-link', 'account.reset-password'])
    })

    test('twenty uses at once set one password', async () => {
      const ann = await addPerson()
      const { secret } = await link(ann)
      const uses = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          useResetLink({ secret, password: `the password ${index}`, address: '192.0.2.1' }, world),
        ),
      )
      const won = uses.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
      assert.equal(won.length, 1)
      for (const use of uses) {
        if (use.status === 'rejected') assert.equal(use.reason.code, 'macaroon-authorization-required')
      }
      assert.equal(await signsIn(ann, `the password ${won[0]}`), true)
    })

    test('an account without a password gets its first; a second factor stays', async () => {
      const bare = await addAccount(
        { username: `b-${randomBytes(6).toString('hex')}`, email: '-@example.org', name: 'Bare' },
        world,
      )
      assert.equal((await reset((await link(bare)).url)).status, 200)
      assert.equal(await signsIn(bare, NEW), true)
      const ann = await addPerson()
      await enableSecondFactor({ account: ann.id, issuer: 'x', instead: false }, world)
      assert.equal((await reset((await link(ann)).url)).status, 200)
      assert.equal((await signIn(new Browser(), ann, NEW)).title, 'Enter a code')
    })

    test('a password that breaks its rule, or two that differ, do not use up the link', async () => {
      const { url } = await link(await addPerson())
      for (const fields of [{ password: 'short', again: 'short' }, { again: 'different' }]) {
        const page = await reset(url, fields)
        assert.deepEqual([page.status, page.title], [403, 'Set a new password'])
        assert.notEqual(problemOf(page), undefined)
      }
      assert.equal((await reset(url)).status, 200)
    })

    test('refuses the link without an internal error if another account took the e-mail address meanwhile', async () => {
      const email = `${randomBytes(6).toString('hex')}@example.org`
      const username = `b-${randomBytes(6).toString('hex')}`
      const bare = await addAccount({ username, email, name: 'Bare' }, world)
      const { url } = await link(bare)
      await addAccount({ username: `${username}x`, email, name: 'Other', password: PASSWORD }, world)
      const page = await reset(url)
      assert.equal(page.status, 403)
      assert.match(problemOf(page) ?? '', /^Another account with a password has this e-mail address\./)
    })

    for (const [what, end] of [
      ['it expired', async () => world.clock.advance(HOUR_MS)],
      ['another link was used', async (ann: Account) => reset((await link(ann)).url)],
      [
        'the operator set a password',
        (ann: Account) => setPassword({ account: ann.id, password: NEW }, world),
      ],
      ['the account was disabled', (ann: Account) => disableAccount(ann.id, world)],
      [
        'the logins of the account were revoked',
        (ann: Account) => world.accounts.endLogins(ann.id, world.clock()),
      ],
    ] as const) {
      test(`does not work after ${what}`, async () => {
        const ann = await addPerson()
        const { url } = await link(ann)
        const browser = new Browser()
        const page = await browser.open(url)
        await end(ann)
        const refused = await browser.submit(page, 'reset', {
          password: 'x'.repeat(20),
          again: 'x'.repeat(20),
        })
        assert.deepEqual([refused.status, refused.title], [410, OVER])
      })
    }

    test('does not create a link for a disabled account', async () => {
      const ann = await addPerson()
      await disableAccount(ann.id, world)
      await assert.rejects(link(ann), { code: 'state-conflict', message: /^The account is disabled/ })
    })

    test('refuses every forged link in the same way', async () => {
      for (const secret of ['x', 'A'.repeat(43), '%00', 'é'.repeat(43), 'A'.repeat(10_000)]) {
        const page = await new Browser().open(`${identity.location}/reset?secret=${secret}`)
        assert.deepEqual([page.status, page.title], [410, OVER], secret)
      }
      assert.equal((await new Browser().open(`${identity.location}/reset`)).status, 400)
    })

    test('stores only a hash of the link, and removes expired links', async () => {
      const ann = await addPerson()
      const { secret } = await link(ann)
      const rows = await world.database.query.selectFrom('reset_link').selectAll().execute()
      assert.ok(rows.some(({ account_id }) => account_id === ann.id))
      assert.ok(!JSON.stringify(rows).includes(secret))
      assert.ok(!JSON.stringify(rows).includes(JSON.stringify([...Buffer.from(secret, 'base64url')])))
      const expired = new Date(world.clock().getTime() + HOUR_MS + 1)
      assert.ok((await world.oneTimeLinks.removeExpired(expired, 100)) >= 1)
      const left = await world.database.query.selectFrom('reset_link').selectAll().execute()
      assert.deepEqual(left, [])
    })
  })
})

const unlimited = {
  throttle: { attempt: async () => ({ allowed: true, forgive: () => {} }) as const },
  knownServices: [],
  knownAgents: { find: <T>(_: string, read: () => Promise<T>) => read() },
}
