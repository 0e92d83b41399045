/** Guarantee: no form of the identity service's pages has an effect without the browser's CSRF token. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fastify from 'fastify'
import { addClients, clientsOf } from '../../src/http/client.ts'
import { identityRoutes } from '../../src/identity/routes.ts'
import { oneDatabase } from '../support/databases.ts'
import { identityWorld } from '../support/identity.ts'

const LOCATION = 'http://store.example.com/identity'
const OUT_OF_DATE = /This form is out of date/

oneDatabase((_kind, open) => {
  describe('every form of the identity service', () => {
    const forms: string[] = []
    const app = fastify()
    let cookie: string
    let token: string

    before(async () => {
      addClients(app, clientsOf(['127.0.0.1']))
      app.decorateReply('hold', () => {})
      app.addHook('onRoute', ({ method, url, config }) => {
        if (config?.page && [method].flat().includes('POST')) forms.push(url)
      })
      const world = await identityWorld(await open())
      await app.register(identityRoutes, { prefix: '/identity', ...world, location: LOCATION })
      const shown = await app.inject('/identity/account')
      cookie = shown.cookies.find(({ name }) => name === 'ratafia-form')?.value ?? assert.fail('no cookie')
      token = /name="csrf" value="([^"]+)"/.exec(shown.body)?.[1] ?? assert.fail('no form')
    })
    after(() => app.close())

    const sent = (url: string, csrf: string | undefined, of: string | undefined = cookie) =>
      app.inject({
        ...{ method: 'POST', url, ...(of !== '' && { cookies: { 'ratafia-form': of } }) },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(csrf === undefined ? {} : { csrf }).toString(),
      })

    test('is refused without its token, with the token of another browser, and without the cookie', async () => {
      assert.ok(forms.length > 8, forms.join())
      for (const url of forms) {
        const refused = [
          ...[undefined, '', 'x', token.slice(0, -1)].map((csrf) => sent(url, csrf)),
          ...['another', ''].map((other) => sent(url, token, other)),
        ]
        for (const { statusCode, body } of await Promise.all(refused)) {
          assert.equal(statusCode, 403, url)
          assert.match(body, OUT_OF_DATE)
        }
      }
    })

    test('is accepted with its token', async () => {
      for (const url of forms) assert.doesNotMatch((await sent(url, token)).body, OUT_OF_DATE, url)
    })
  })
})
