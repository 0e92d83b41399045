/** Tests the caller's signed-in browsers in the management API. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { assertMissing, manage, managementToken } from '../support/managers.ts'
import { addPublisher, PASSWORD } from '../support/publishers.ts'
import { logIn, refusalOf, sessionOf, testService, whoami } from '../support/service.ts'

interface Listed {
  readonly id: string
  readonly kind: string
  readonly current: boolean
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const location = () => `${service.baseUrl}/identity`

  const signedIn = async (account: Account, userAgent: string): Promise<Browser> => {
    const browser = new Browser({ 'user-agent': userAgent })
    const page = await browser.open(`${location()}/account`)
    const after = await browser.submit(page, 'login', { username: account.username, password: PASSWORD })
    assert.equal(after.title, 'Your account')
    return browser
  }
  const isIn = async (browser: Browser) =>
    (await browser.open(`${location()}/account`)).title === 'Your account'
  const list = async (token: string): Promise<readonly (Listed & Record<string, unknown>)[]> => {
    const { status, body } = await manage(service, token, 'GET', '/me/browsers')
    assert.equal(status, 200, JSON.stringify(body))
    return body.browsers
  }
  const end = (token: string, id: string, query = '') =>
    manage(service, token, 'POST', `/me/browsers/${id}/end`, { body: {}, query })
  const endAll = (token: string, body: object = {}, query = '') =>
    manage(service, token, 'POST', '/me/browsers/end', { body, query })

  test('lists browsers of the identity service and of the administration, newest first, with their addresses', async () => {
    const ada = await addPublisher(service)
    await signedIn(ada, 'Firefox/144.0 \u00e9')
    service.advance(1000)
    const token = await managementToken(service, ada, { description: 'console' })
    await managementToken(service, ada, {}, { signedIn: 'agent line' })
    await logIn(service, ada)
    await signedIn(await addPublisher(service), 'Chromium')
    const [session, browser, ...more] = await list(token)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [session?.id, session?.kind, session?.['description'], session?.['address'], session?.current],
      [sessionOf(token), 'management', 'console', '127.0.0.1', true],
    )
    assert.equal(session?.['user_agent'], 'node')
    assert.deepEqual(
      [browser?.kind, browser?.['address'], browser?.['user_agent'], browser?.current],
      ['sign-in', '127.0.0.1', 'Firefox/144.0 ?', false],
    )
    assert.match(browser?.id ?? '', /^[\w-]{22}$/)
  })

  test('marks the browser that opened the calling session as the current one', async () => {
    const ada = await addPublisher(service)
    await signedIn(ada, 'Firefox')
    const [row] = await service.installation.signInSessions.newestOf(ada.id, 1)
    const at = row?.createdAt ?? assert.fail()
    const token = await managementToken(service, ada, {}, { signedIn: `browser ${at.toISOString()}` })
    assert.deepEqual(
      (await list(token)).map(({ kind, current }) => [kind, current]),
      [
        ['management', true],
        ['sign-in', true],
      ],
    )
  })

  test('Guarantee: the id of a browser is not a credential, nor the hash of its cookie', async () => {
    const ada = await addPublisher(service)
    const browser = await signedIn(ada, 'Firefox')
    const token = await managementToken(service, ada)
    const id = (await list(token)).find(({ kind }) => kind === 'sign-in')?.id ?? assert.fail()
    const cookies = [...browser.cookies.values()].map((cookie) => Buffer.from(cookie, 'base64url'))
    const [row] = await service.installation.signInSessions.newestOf(ada.id, 1)
    const hashOfCookie = Buffer.from(row?.idHash ?? []).toString('base64url')
    assert.ok(
      cookies.some((cookie) => createHash('sha256').update(cookie).digest('base64url') === hashOfCookie),
    )
    assert.ok(!hashOfCookie.startsWith(id) && !id.startsWith(hashOfCookie.slice(0, 8)))
  })

  test('signs one browser out: its cookie or token stops working, and the others continue', async () => {
    const ada = await addPublisher(service)
    const [here, there] = [await signedIn(ada, 'here'), await signedIn(ada, 'there')]
    const token = await managementToken(service, ada)
    const other = await managementToken(service, ada)
    const developer = await logIn(service, ada)
    const found = await list(token)
    const lost = found.find((one) => one['user_agent'] === 'there') ?? assert.fail()
    const tried = await end(token, lost.id, '?dry_run=true')
    assert.deepEqual([tried.status, tried.body], [200, lost])
    assert.ok(await isIn(there))
    const ended = await end(token, lost.id)
    assert.deepEqual([ended.status, ended.body], [200, lost])
    assert.deepEqual([await isIn(here), await isIn(there)], [true, false])
    assert.equal((await end(token, sessionOf(other))).status, 200)
    assert.equal((await manage(service, other, 'GET', '/me')).status, 401)
    assert.equal((await manage(service, token, 'GET', '/me')).status, 200)
    for (const id of [lost.id, sessionOf(other), sessionOf(developer)]) {
      assert.equal(refusalOf(await end(token, id)).code, 'no-such-record')
    }
    assert.equal(await whoami(service, developer), 200)
    const entries = await service.installation.database.query
      .selectFrom('audit_entry')
      .select(['action', 'subject', 'details'])
      .where('actor', '=', `account:${ada.username}`)
      .where('action', 'in', ['account.sign-out', 'token.revoke'])
      .execute()
    assert.deepEqual(entries.map(({ action, subject }) => `${action} ${subject}`).sort(), [
      `account.sign-out ${ada.username}`,
      `token.revoke ${sessionOf(other)}`,
    ])
  })

  test("Guarantee: another user's browser answers exactly as one that does not exist", async () => {
    const bob = await addPublisher(service)
    const browser = await signedIn(bob, 'Firefox')
    const bobs = await managementToken(service, bob)
    const token = await managementToken(service, await addPublisher(service))
    for (const { id } of await list(bobs)) {
      await assertMissing([id, 'x'.repeat(22)], (one) => end(token, one))
    }
    assert.ok(await isIn(browser))
    assert.equal((await list(bobs)).length, 2)
  })

  test('signs out all browsers but the named ones, for a person who signed in recently', async () => {
    const ada = await addPublisher(service)
    const browsers = [await signedIn(ada, 'one'), await signedIn(ada, 'two')]
    const kept = await signedIn(ada, 'kept')
    const token = await managementToken(service, ada)
    const other = await managementToken(service, ada)
    const developer = await logIn(service, ada)
    const all_but = (await list(token))
      .filter((one) => one['user_agent'] === 'kept' || one.current)
      .map(({ id }) => id)
    assert.equal(all_but.length, 2)
    const unknown = refusalOf(await endAll(token, { all_but: [...all_but, 'x'] }))
    assert.match(
      unknown.message,
      /names "x", which isn't a browser that is signed in as you. No browser was signed out\.$/,
    )
    assert.deepEqual((await endAll(token, { all_but }, '?dry_run=true')).body, { ended: 3 })
    assert.deepEqual((await endAll(token, { all_but })).body, { ended: 3 })
    assert.deepEqual(await Promise.all(browsers.map(isIn)), [false, false])
    assert.ok(await isIn(kept))
    assert.equal((await manage(service, other, 'GET', '/me')).status, 401)
    assert.equal(await whoami(service, developer), 200)
    const agent = await managementToken(service, ada, {}, { signedIn: 'agent line' })
    assert.equal(refusalOf(await endAll(agent)).code, 'person-required')
    service.advance(16 * 60_000)
    const late = await endAll(token)
    assert.deepEqual([late.status, late.body.error_list[0].code], [401, 'recent-sign-in-required'])
    const fresh = await managementToken(service, ada)
    assert.deepEqual((await endAll(fresh)).body, { ended: 3 })
    assert.equal((await manage(service, fresh, 'GET', '/me')).status, 401)
    // An agent is not a browser.
    assert.deepEqual(await list(agent), [])
  })
})
