/** A link that signs in without a password, over HTTP and on every database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, before, beforeEach, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { makeSignInLink } from '../../src/accounts/one-time-links/link.ts'
import { useResetLink } from '../../src/accounts/one-time-links/reset-link.ts'
import { directAuthority } from '../../src/authority.ts'
import { signedInSince } from '../../src/identity/logins/browser-session.ts'
import { signInByLink } from '../../src/identity/one-time-links/use-link.ts'
import {
  addAccount,
  disableAccount,
  enableSecondFactor,
  makeResetLink,
  setPassword,
} from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  Browser,
  type IdentityWorld,
  identityWorld,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

const OPERATOR = directAuthority({ actor: 'operator', source: 'command line, root' }, 'operator')
const OVER = 'This link does not work'

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  before(async () => {
    world = await identityWorld(await open())
  })
  beforeEach(async () => {
    identity = await startIdentity(world)
  })
  afterEach(() => identity.app.close())

  const addPerson = (): Promise<Account> => {
    const username = `s-${randomBytes(6).toString('hex')}`
    return addAccount({ username, email: `${username}@example.org`, name: 'Some One' }, world)
  }
  const link = async ({ id }: Account) => {
    const { secret } = await makeSignInLink({ account: id, authority: OPERATOR }, world)
    return { secret, url: `${identity.location}/sign-in-link?secret=${secret}` }
  }
  const sessionsOf = async ({ username }: Account) =>
    (await world.audit.list({ subject: username, action: 'account.sign-in' }, { limit: 100 })).length

  test('signs a browser in once, without password and second factor', async () => {
    const ada = await addPerson()
    await enableSecondFactor({ account: ada.id, issuer: 'x', instead: false }, world)
    const { url } = await link(ada)
    const browser = new Browser()
    const page = await browser.open(url)
    assert.deepEqual([page.status, page.title], [200, 'Sign in with this link?'])
    assert.match(page.text, new RegExp(`<strong>${ada.username}</strong>`))
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const account = await browser.submit(page, 'sign-in-link')
    assert.deepEqual([account.status, account.title], [200, 'Your account'])
    const again = await new Browser().open(url)
    assert.deepEqual([again.status, again.title], [410, OVER])
    const entries = await world.audit.list({ subject: ada.username }, { limit: 2 })
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ['account.sign-in', `account:${ada.username}`],
        ['account.sign-in-link', 'operator'],
      ],
    )
    assert.match(entries[0]?.details ?? '', /"link":true/)
  })

  test('programs that preview links do not use them up', async () => {
    const ada = await addPerson()
    const { url } = await link(ada)
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(url, { method })
    // The first request has no CSRF token, and the second one is from another site.
    const forged = await fetch(url, { method: 'POST' })
    assert.ok(forged.status >= 400 && forged.status < 500, String(forged.status))
    assert.equal(await sessionsOf(ada), 0)
    const browser = new Browser()
    assert.equal((await browser.submit(await browser.open(url), 'sign-in-link')).title, 'Your account')
  })

  test('twenty uses at once sign in once', async () => {
    const ada = await addPerson()
    const { secret } = await link(ada)
    const deps = { ...world, location: identity.location } as unknown as Parameters<typeof signInByLink>[1]
    const uses = await Promise.all(
      Array.from({ length: 20 }, () => signInByLink({ secret, address: '192.0.2.1' }, deps)),
    )
    const outcomes = uses.map(({ outcome }) => outcome).toSorted()
    assert.deepEqual(outcomes, ['signed-in', ...Array(19).fill('wrong')])
    assert.equal(await sessionsOf(ada), 1)
  })

  test('signs in only one of twenty browsers that use it at once', async () => {
    const ada = await addPerson()
    const { url } = await link(ada)
    const browsers = Array.from({ length: 20 }, () => new Browser())
    const pages = await Promise.all(browsers.map((browser) => browser.open(url)))
    const after = await Promise.all(
      browsers.map((browser, at) => browser.submit(pages[at] ?? assert.fail(), 'sign-in-link')),
    )
    const titles = after.map(({ title }) => title).toSorted()
    assert.deepEqual(titles, [...Array(19).fill(OVER), 'Your account'])
    assert.equal(await sessionsOf(ada), 1)
  })

  test('a newer link invalidates the earlier ones, and only one of two simultaneous links works', async () => {
    const ada = await addPerson()
    const earlier = await link(ada)
    const reset = await makeResetLink({ account: ada.id, lifetimeMs: 60_000 }, world)
    const made = [await link(ada), ...(await Promise.all([link(ada), link(ada)]))]
    const opened = await Promise.all(
      [earlier, ...made].map(({ url }) => new Browser().open(url).then(({ status }) => status)),
    )
    assert.deepEqual(opened.slice(0, 2), [410, 410])
    assert.deepEqual(opened.slice(2).toSorted(), [200, 410])
    const old = await new Browser().open(`${identity.location}/reset?secret=${reset.secret}`)
    assert.equal(old.status, 410)
  })

  test('counts as a sign-in of a person at that time, for logins that continue in the browser', async () => {
    const ada = await addPerson()
    const { url } = await link(ada)
    const browser = new Browser()
    const page = await browser.open(url)
    world.clock.advance(60_000)
    await browser.submit(page, 'sign-in-link')
    const { cookies } = browser
    const since = await signedInSince(
      [...cookies.values()].find((value) => /^[\w-]{43}$/.test(value)),
      world,
    )
    assert.deepEqual(since?.signedInAt, world.clock())
    assert.equal(since?.account.id, ada.id)
  })

  test('cannot set a password, and a set-password link cannot sign in', async () => {
    const ada = await addPerson()
    const { secret } = await link(ada)
    const password = 'a long enough password'
    await assert.rejects(useResetLink({ secret, password, address: '192.0.2.1' }, world))
    const reset = await makeResetLink({ account: ada.id, lifetimeMs: 60_000 }, world)
    const page = await new Browser().open(`${identity.location}/sign-in-link?secret=${reset.secret}`)
    assert.deepEqual([page.status, page.title], [410, OVER])
  })

  for (const [what, end] of [
    ['ten minutes passed', async () => world.clock.advance(10 * 60_000)],
    ['the account was disabled', (ada: Account) => disableAccount(ada.id, world)],
    [
      'the operator set a password',
      (ada: Account) => setPassword({ account: ada.id, password: 'a long enough password' }, world),
    ],
  ] as const) {
    test(`does not work after ${what}`, async () => {
      const ada = await addPerson()
      const { url } = await link(ada)
      const browser = new Browser()
      const page = await browser.open(url)
      await end(ada)
      const refused = await browser.submit(page, 'sign-in-link')
      assert.deepEqual([refused.status, refused.title], [410, OVER])
      assert.equal(await sessionsOf(ada), 0)
    })
  }

  test('does not create a link for an account that is disabled or does not exist', async () => {
    const ada = await addPerson()
    await disableAccount(ada.id, world)
    await assert.rejects(link(ada), { code: 'state-conflict' })
    const made = makeSignInLink({ account: 'unknown', authority: OPERATOR }, world)
    await assert.rejects(made, { code: 'no-such-record' })
    for (const secret of ['x', 'A'.repeat(43), '%00', 'A'.repeat(10_000)]) {
      const page = await fetch(`${identity.location}/sign-in-link?secret=${secret}`)
      assert.ok(page.status === 410 || (page.status >= 400 && page.status < 500), String(page.status))
    }
  })
})
