/** The user's own account page. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consoleOf, textOf, unescaped } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

describe('sign-in and agents in the console', () => {
  eachDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('the page shows the account, and links to the page that changes the password', async () => {
      const account = await addPerson(service)
      const page = await (await consoleOf(service, account)).get('/console/me')
      assert.equal(page.status, 200, textOf(page))
      assert.match(textOf(page), new RegExp(`${account.username}@example.org`))
      assert.match(page.text, /href="http[^"]+\/identity\/change-password"/)
      assert.match(textOf(page), /No agents yet/)
    })

    test('switches reminders off and on; an outdated page changes nothing', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const off = await browser.fill('/console/me')
      assert.equal(off.location, '/console/me')
      const page = await browser.get('/console/me')
      assert.match(textOf(page), /Reminders disabled/)
      const token = await managementToken(service, account)
      assert.equal((await manage(service, token, 'GET', '/me/reminders')).body.reminders, false)
      const stale = await browser.fill('/console/me', { etag: '"stale"' })
      assert.equal(stale.status, 422)
      assert.match(textOf(stale), /has changed since you read it/)
      await browser.submit(page, '/console/me')
      assert.equal((await manage(service, token, 'GET', '/me/reminders')).body.reminders, true)
    })

    test('signs out another browser, and then all others', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const others = [await consoleOf(service, account), await consoleOf(service, account)]
      const ids = [
        ...(await browser.get('/console/me')).text.matchAll(/\/console\/me\/browsers\/([\w-]+)\/end/g),
      ]
      assert.equal(ids.length, 3)
      const { body } = await manage(service, others[0]?.cookies.get('ratafia-console') ?? '', 'GET', '/me')
      const address = `/console/me/browsers/${body.session_id}/end`
      await browser.fill(address)
      assert.match((await others[0]?.get('/console/me'))?.location ?? '', /sign-in/)
      assert.equal((await others[1]?.get('/console/me'))?.status, 200)
      await browser.fill('/console/me/browsers/end')
      assert.match((await others[1]?.get('/console/me'))?.location ?? '', /sign-in/)
      assert.equal((await browser.get('/console/me')).status, 200)
    })

    test('does not sign a browser in again after it signed itself out', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const { body } = await manage(service, browser.cookies.get('ratafia-console') ?? '', 'GET', '/me')
      const address = `/console/me/browsers/${body.session_id}/end`
      const form = await browser.get(address)
      assert.match(textOf(form), /the one that you are using now/)
      const ended = await browser.submit(form, address)
      assert.equal(ended.location, '/console/')
      assert.match(textOf(await browser.open('/console/')), /Sign in to the console/)
    })

    test('adds an agent, shows its file once, and removes it', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const form = await browser.get('/console/me/agents/new')
      const name = `builder-${account.username}`
      const made = await browser.submit(form, '/console/me/agents/new', {
        ...{ name, permission: 'package_access, package_upload', hours: '2' },
      })
      assert.equal(made.status, 200, textOf(made))
      const file = JSON.parse(
        unescaped(/<textarea id="once-agent"[^>]*>\n([^<]*)</.exec(made.text)?.[1] ?? ''),
      )
      assert.equal(file.agents[0].username, name)
      assert.match(file.key.private, /^[\w+/]+=*$/)
      const page = await browser.get('/console/me')
      assert.match(textOf(page), new RegExp(name))
      assert.match(textOf(page), /for at most 2 hours/)
      assert.doesNotMatch(page.text, new RegExp(file.key.private.replaceAll('+', '\\+')))
      const address = `/console/me/agents/${encodeURIComponent(name)}/remove`
      await browser.fill(address)
      assert.match(textOf(await browser.get('/console/me')), /Agent .* removed/)
      assert.equal((await browser.get(address)).status, 404)
    })

    for (const [what, fields, problem] of [
      ['a bad name', { name: 'a b' }, /name/i],
      ['an unknown permission', { name: 'agent-x', permission: 'fly' }, /fly/],
      ['an invalid lifetime', { name: 'agent-x', hours: '0' }, /Enter whole hours/],
    ] as const) {
      test(`refuses an agent with ${what}, and keeps what the user typed`, async () => {
        const browser = await consoleOf(service, await addPerson(service))
        const refused = await browser.fill('/console/me/agents/new', fields)
        assert.equal(refused.status, 422)
        assert.match(textOf(refused), problem)
        assert.match(refused.text, new RegExp(`value="${fields.name}"`))
      })
    }
  })
})
