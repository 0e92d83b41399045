/** A browser whose connection breaks while its sign-in is checked. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { addressOf } from '../../src/addresses/address.ts'
import type { Throttle } from '../../src/identity/logins/throttle.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser, caveatFor, identityWorld, postDischarge, startIdentity } from '../support/identity.ts'

test('the address of a request is an address or `unknown`, for any value that a proxy forwards', () => {
  assert.equal(addressOf({ ip: undefined }), 'unknown')
  assert.equal(addressOf({ ip: '::ffff:192.0.2.1' }), '192.0.2.1')
  for (const none of ['', 'x'.repeat(30_000), `${'1'.repeat(30_000)}.0.0.1`, '192.0.2.1\n', "<b>'"]) {
    assert.equal(addressOf({ ip: none }), 'unknown')
  }
})

oneDatabase((_kind, open) => {
  test('an attempt to sign in counts for its address, even after its connection broke', async () => {
    const world = await identityWorld(await open())
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const counted = Promise.withResolvers<unknown>()
    let slow = false
    const keyring: typeof world.keyring = {
      ...world.keyring,
      openText: async (purpose, text) => {
        if (slow) {
          asked.resolve()
          await gone.promise
        }
        return world.keyring.openText(purpose, text)
      },
    }
    const throttle: Throttle = {
      attempt: async ({ address }) => {
        counted.resolve(address)
        return { allowed: false, retryAt: new Date(0) }
      },
    }
    const { app, location } = await startIdentity({ ...world, keyring }, { throttle })
    try {
      const { body } = await postDischarge(location, await caveatFor(keyring, 'is-authenticated-userid'))
      const browser = new Browser()
      const page = await browser.open(body.Info.InteractionMethods['browser-window'].VisitURL)
      const form = new URLSearchParams({
        ...page.forms[0]?.fields,
        username: 'bob',
        password: 'x',
      }).toString()
      const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
      const { port, pathname } = new URL(location)
      slow = true
      app.server.once('connection', (socket) => socket.once('close', () => gone.resolve()))
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(
        `POST ${pathname}/login HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n` +
          `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      )
      await asked.promise
      socket.resetAndDestroy()
      await once(socket, 'close')
      assert.equal(await counted.promise, '127.0.0.1')
    } finally {
      await app.close()
    }
  })
})
