/** The frame that all console pages share. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { browserWith, consoleAs, consoleOf, textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addPerson, testService } from '../support/service.ts'

describe('the console outside its networks', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_MANAGEMENT_FROM: '192.0.2.0/24' })

    test('security: it looks like an unknown path there, signed in or not', async () => {
      const nothing = await browserWith(service).get('/nothing')
      const signedIn = new Map([['ratafia-console', 'x']])
      for (const path of [
        '/console/',
        '/console/tokens',
        '/console/sign-in',
        '/console/tools',
        '/console/nothing',
      ]) {
        for (const browser of [browserWith(service), browserWith(service, signedIn)]) {
          const { status, text } = await browser.get(path)
          assert.deepEqual([status, text], [nothing.status, nothing.text], path)
        }
      }
    })

    test('a browser there that requests / sees how tools log in, without a mention of the console', async () => {
      const page = await browserWith(service).get('/')
      assert.equal(page.status, 200, page.location ?? '')
      assert.match(textOf(page), /Log in with a tool/)
      assert.doesNotMatch(page.text, /console/)
    })
  })
})

describe('the frame of the console', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('sends signed-out users to sign in, and back to the page', async () => {
      const { status, location } = await browserWith(service).get('/console/tokens?state=all')
      assert.deepEqual([status, location], [303, '/console/sign-in?to=%2Fconsole%2Ftokens%3Fstate%3Dall'])
    })

    test('a browser that requests / gets to the console, which explains the service and where to sign in', async () => {
      const page = await browserWith(service).open('/')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /Sign in to the console/)
    })

    test('the navigation has only the sections that the user may use', async () => {
      const developer = await consoleOf(service, await addPerson(service))
      const page = await developer.open('/console/')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /My tokens/)
      assert.doesNotMatch(page.text, /Administration/)
      const viewer = await consoleAs(service, 'viewer')
      const tokens = await viewer.get('/console/tokens')
      assert.match(tokens.text, /href="\/console\/devices"/)
      assert.doesNotMatch(tokens.text, /href="\/console\/accounts"/)
      // Users who revoke tokens of others have jobs.
      const accountManager = await consoleAs(service, 'account-manager')
      const jobs = await accountManager.get('/console/jobs')
      assert.match(jobs.text, /href="\/console\/jobs" aria-current="page"/)
      assert.doesNotMatch(jobs.text, /href="\/console\/devices"/)
    })

    test('a page runs only our script, loads nothing, cannot be framed and is not stored', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const { headers } = await browser.get('/console/tokens')
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(
        policy,
        /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'/,
      )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-frame-options'), 'DENY')
    })

    test('an unknown path is a 404 with a link to the start page', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.get('/console/nothing')
      assert.equal(page.status, 404)
      assert.match(textOf(page), /Page not found/)
      assert.match(page.text, /href="\/console\/"/)
    })

    test('a signed-out user who sends more fields than any form has gets a page', async () => {
      const many = Array.from({ length: 1_300 }, () => 'a').join('&')
      const browser = browserWith(service)
      const pages = [
        [400, await browser.get(`/console/sign-in?${many}`)],
        [403, await browser.post('/console/tokens/new', new URLSearchParams(many))],
      ] as const
      for (const [status, page] of pages) {
        assert.deepEqual(
          [page.status, page.headers.get('content-type')],
          [status, 'text/html; charset=utf-8'],
        )
        assert.doesNotMatch(page.text, /name="a"/)
      }
    })

    test('refuses an invalid filter and shows the valid ones', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.get('/console/tokens?state=nonsense')
      assert.equal(page.status, 400)
      assert.match(textOf(page), /The filter “state” is not one of active/)
    })
  })
})
