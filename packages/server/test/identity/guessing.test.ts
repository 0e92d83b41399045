/** Guessing passwords over HTTP, on every database: guesses are slowed down, and do not lock out other users. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, test } from 'node:test'
import { addUser, PASSWORD } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  Browser,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  type Page,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

const CONDITION = 'need-declared userid is-authenticated-userid'

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  let visit: string
  let username: string

  const addPerson = async () => (await addUser(world)).username
  before(async () => {
    world = await identityWorld(await open())
  })
  // This service has its own counters.
  beforeEach(async () => {
    identity = await startIdentity(world)
    const { body } = await postDischarge(identity.location, await caveatFor(world.keyring, CONDITION))
    visit = body.Info.InteractionMethods['browser-window'].VisitURL
    username = await addPerson()
  })
  afterEach(() => identity.app.close())

  const attempt = async (address: string, name: string, password: string): Promise<Page> => {
    const browser = new Browser({ 'x-forwarded-for': address })
    return browser.submit(await browser.open(visit), 'login', { username: name, password })
  }
  const signIn = async (address: string, name = username) => (await attempt(address, name, PASSWORD)).title
  /** Sends wrong passwords, and expects that all of them are checked. */
  const guess = async (
    count: number,
    address: (index: number) => string,
    name: (index: number) => string,
  ) => {
    const browser = new Browser()
    const { url, forms } = await browser.open(visit)
    for (let i = 0; i < count; i++) {
      const fields = { ...forms[0]?.fields, username: name(i), password: 'wrong password' }
      const from = { 'x-forwarded-for': address(i) }
      const { status } = await browser.post(new URL('login', url).href, fields, from)
      assert.equal(status, 403, `guess ${i}`)
    }
  }
  const SIGNED_IN = 'Approve this login?'
  const THROTTLED = 'Too many attempts'

  for (const [what, nameOf] of [
    ['an account', () => username],
    ['an unknown name', () => `unknown-${username}`],
    ['a name that no database can store', () => `unknown\0${username}`],
  ] as const) {
    test(`checks ten guesses for ${what}, then one per minute, and the page shows when`, async () => {
      await guess(10, (i) => `100.${i}.0.1`, nameOf)
      const refused = await attempt('192.0.2.1', nameOf(), PASSWORD)
      assert.deepEqual([refused.status, refused.title], [429, THROTTLED])
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.match(refused.text, /<strong>60 seconds<\/strong>/)
      assert.match(refused.text, /href="login\?did=/)
      world.clock.advance(60_000)
      await guess(1, () => '192.0.2.1', nameOf)
      assert.equal(await signIn('192.0.2.1', nameOf()), THROTTLED)
    })
  }

  for (const [what, guesses, of, another, elsewhere] of [
    ['an IPv4 address', 30, () => '192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['an IPv6 /48', 60, (i: number) => `2001:db8:1:${i}::1`, '2001:db8:1:ff::1', '2001:db8:2::1'],
  ] as const) {
    test(`checks ${guesses} guesses from ${what}, for any names, while users sign in from elsewhere`, async () => {
      await guess(guesses, of, (i) => `unknown-${i}`)
      assert.equal(await signIn(another), THROTTLED)
      assert.equal(await signIn(elsewhere), SIGNED_IN)
    })
  }

  test('sign-ins that succeed do not count', async () => {
    for (let i = 0; i < 31; i++) assert.equal(await signIn('192.0.2.1'), SIGNED_IN)
  })

  test('guesses from other networks do not lock users out of a network that they signed in from before', async () => {
    const stranger = await addPerson()
    assert.equal(await signIn('198.51.100.9', stranger), SIGNED_IN)
    assert.equal(await signIn('2001:db8:1:1::1'), SIGNED_IN)
    await guess(
      10,
      (i) => `100.${i}.0.1`,
      () => username,
    )
    for (const [where, address] of [
      ['no sign-in from there before', '203.0.113.1'],
      ['another user signed in from there', '198.51.100.9'],
      ['only guesses from there', '100.0.0.1'],
      ['a neighbouring network', '2001:db8:1:2::1'],
    ] as const) {
      assert.equal(await signIn(address), THROTTLED, where)
    }
    for (const address of ['2001:db8:1:1::1', '2001:db8:1:1::2']) {
      assert.equal(await signIn(address), SIGNED_IN, address)
    }
  })

  test('guessing is also slowed down in a network that the user signed in from before', async () => {
    for (const address of ['192.0.2.1', '203.0.113.1']) assert.equal(await signIn(address), SIGNED_IN)
    await guess(
      10,
      (i) => `100.${i}.0.1`,
      () => username,
    )
    await guess(
      10,
      () => '192.0.2.1',
      () => username,
    )
    assert.equal(await signIn('192.0.2.1'), THROTTLED)
    assert.equal(await signIn('203.0.113.1'), SIGNED_IN, 'each of these networks has a count of its own')
    world.clock.advance(60_000)
    assert.equal(await signIn('192.0.2.1'), SIGNED_IN)
  })
})
