/** Guarantee: no console form has an effect without the CSRF token of the browser's session. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import type { Me } from '@ratafia/api/schemas'
import fastify from 'fastify'
import type { DirectAuthority } from '../../src/authority.ts'
import { consolePages } from '../../src/console/routes.ts'
import { csrfTokens } from '../../src/http/browsers/csrf.ts'
import { type ConsoleRoutes, consoleRoutes, GoTo } from '../../src/http/console/console-routes.ts'
import { sessionCookie } from '../../src/http/console/session-cookie.ts'
import { StreamPlaces } from '../../src/http/management/streamed.ts'
import type { ManagerAuthority } from '../../src/management/tokens/manager.ts'
import { html } from '../../src/web/html.ts'
import { words } from '../../src/web/words/en.ts'
import { deciding } from '../support/authorities.ts'

const ME: Me = {
  ...{ id: 'ada', username: 'ada', name: 'Ada', email: 'ada@example.org', session_id: '', expires: '' },
  ...{ signed_in: { with: 'browser', at: null, agent: null }, grants: [], permissions: [] },
}
const BASE_URL = 'http://store.example.com'

describe('every console form', () => {
  /** Maps the path of each registered form to whether it is `multipart/form-data`. */
  const forms = new Map<string, boolean>()
  const done: string[] = []
  const app = fastify()
  let token: string

  before(async () => {
    await app.register(fastifyCookie)
    const cookie = sessionCookie(BASE_URL)
    csrfTokens(app, cookie)
    const routes = consoleRoutes<DirectAuthority>(app, {
      ...{ baseUrl: BASE_URL, name: 'a test', cookie, clock: () => new Date() },
      authenticate: async () => deciding(),
      // Only the question for the signed-in user is answered.
      call: async () => ME as never,
      answerOnce: async () => assert.fail('must not be repeated'),
      signInAgain: async () => assert.fail('must not ask for another sign-in'),
      places: new StreamPlaces(),
    })
    const page = async () => ({ title: 'A form', section: undefined, body: html`` })
    // The real forms, which only record that they took effect.
    const noting: ConsoleRoutes<ManagerAuthority> = {
      page: () => {},
      file: () => {},
      form: (path, { file }) => {
        forms.set(path, file !== undefined)
        const send = async () => {
          done.push(path)
          return new GoTo('/console/')
        }
        routes.form(path, { show: page, send, ...(file && { file: { ...file, refuse: () => {} } }) })
      },
    }
    const notHere = () => assert.fail('must not take effect')
    const own = { baseUrl: BASE_URL, mostLifetime: 1, account: undefined, identity: '' }
    consolePages(noting, {
      own: { ...own, makeToken: notHere, addAgent: notHere },
      publishers: { ...own, add: notHere, lookUp: notHere, requireJustSignedIn: notHere },
    })
    const shown = await app.inject({ url: '/console/tokens/new', cookies: { 'ratafia-console': 'session' } })
    token = /name="csrf" value="([^"]+)"/.exec(shown.body)?.[1] ?? assert.fail('no form')
  })
  after(() => app.close())

  const sent = async (
    path: string,
    csrf: string | undefined,
    { session = 'session', headers = {} }: { session?: string; headers?: Record<string, string> } = {},
  ) => {
    const fields: [string, string][] = csrf === undefined ? [] : [['csrf', csrf]]
    const body = forms.get(path) ? new FormData() : new URLSearchParams()
    for (const [name, value] of fields) body.append(name, value)
    const request = new Request(BASE_URL, { method: 'POST', body })
    return app.inject({
      ...{ method: 'POST', url: `/console${path.replaceAll(/:\w+/g, 'x')}` },
      headers: { 'content-type': request.headers.get('content-type') ?? '', ...headers },
      cookies: session === '' ? {} : { 'ratafia-console': session },
      payload: Buffer.from(await request.arrayBuffer()),
    })
  }

  test('has no effect without its token, nor with the token of another session', async () => {
    assert.ok(forms.size > 40, `${forms.size} forms`)
    for (const path of forms.keys()) {
      for (const csrf of [undefined, '', 'x', token.slice(0, -1)]) {
        const answer = await sent(path, csrf)
        assert.equal(answer.statusCode, 422, path)
        assert.ok(answer.body.includes(words.form.outOfDate), path)
      }
      assert.equal((await sent(path, token, { session: 'another session' })).statusCode, 422, path)
    }
    assert.deepEqual(done, [])
  })

  test('has no effect from another site, nor without a session', async () => {
    for (const path of forms.keys()) {
      for (const site of ['cross-site', 'same-site']) {
        const { statusCode, body } = await sent(path, token, { headers: { 'sec-fetch-site': site } })
        assert.equal(statusCode, 403, path)
        assert.ok(body.includes('another site'), path)
      }
      assert.equal((await sent(path, token, { session: '' })).statusCode, 403, path)
    }
    assert.deepEqual(done, [])
  })

  test('takes effect with its token', async () => {
    for (const path of forms.keys()) assert.equal((await sent(path, token)).statusCode, 303, path)
    assert.deepEqual(done, [...forms.keys()])
  })
})
