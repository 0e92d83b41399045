/** The long poll of a login with a browser: with notifications, by polling, and its end, on every database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Unavailable } from '../../src/errors.ts'
import type { CompletedLoginStore } from '../../src/identity/logins/completed-login-store.ts'
import { addUser, PASSWORD } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import {
  answer,
  Browser,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  const running: RunningIdentity[] = []
  const start = async (
    ...args: Parameters<typeof startIdentity> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    const identity = await startIdentity(world, ...args)
    running.push(identity)
    return identity
  }

  before(async () => {
    world = await identityWorld(await open())
    await addUser(world, 'bob')
  })
  after(async () => {
    for (const { app } of running) {
      // fetch keeps connections open that it never used, and the server would wait for their first request.
      app.server.closeAllConnections()
      await app.close()
    }
  })

  /** Counts the clients that have a place, because each reads the database once when it gets one. */
  const placesOf = (store: CompletedLoginStore) => {
    let places = 0
    const completedLogins: CompletedLoginStore = {
      ...store,
      find: (id) => {
        places += 1
        return store.find(id)
      },
    }
    const taken = (count: number) => eventually(`${count} clients have had a place`, () => places >= count)
    return { completedLogins, taken }
  }

  const startLogin = async (identity: RunningIdentity): Promise<{ visit: string; wait: string }> => {
    const caveat = await caveatFor(world.keyring, 'need-declared userid is-authenticated-userid')
    const { body } = await postDischarge(identity.location, caveat)
    const { VisitURL: visit, WaitTokenURL: wait } = body.Info.InteractionMethods['browser-window']
    return { visit, wait }
  }
  const approve = async (visit: string) => {
    const browser = new Browser()
    const fields = { username: 'bob', password: PASSWORD }
    const page = await browser.submit(await browser.open(visit), 'login', fields)
    await browser.submit(page, 'confirm', { decision: 'approve' })
  }

  test('a waiting client gets its answer at once when the login is completed on this node', async () => {
    const { completedLogins, taken } = placesOf(world.completedLogins)
    // A client that waits for the next query gets no answer.
    const { visit, wait } = await startLogin(
      await start({ completedLogins: { ...completedLogins, findAll: async () => [] } }),
    )
    const waiting = fetch(wait)
    await taken(1)
    await approve(visit)
    assert.equal((await waiting).status, 200)
  })

  test('a client that waits on another node gets its answer without asking again', async () => {
    const { completedLogins, taken } = placesOf(world.completedLogins)
    const [one, two] = [await start(), await start({ completedLogins })]
    const { visit, wait } = await startLogin(one)
    const elsewhere = wait.replace(one.location, two.location)
    const waiting = fetch(elsewhere)
    await taken(1)
    await approve(visit)
    // A wait that times out is answered with 504.
    assert.equal((await waiting).status, 200)
  })

  test('answers at once for a login that is already completed, for any number of clients', async () => {
    const { visit, wait } = await startLogin(await start())
    await approve(visit)
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(wait).then(answer)))
    for (const { status, body } of answers) assert.deepEqual([status, body.kind], [200, 'login'])
  })

  test('answers 504 when a wait times out, and a repeated request continues it', async () => {
    const { visit, wait } = await startLogin(await start({ waitPatience: 30 }))
    const { status, headers, body } = await answer(await fetch(wait))
    assert.equal(status, 504)
    assert.equal(headers.get('content-type'), 'application/json')
    assert.deepEqual(body, {
      Code: 'service unavailable',
      Message: 'This login is not approved yet. Ask again to keep waiting.',
    })
    await approve(visit)
    assert.equal((await fetch(wait)).status, 200)
  })

  test('frees the place of a client that disconnects at once', async () => {
    const { completedLogins, taken } = placesOf(world.completedLogins)
    const identity = await start({ waitLimit: 1, completedLogins })
    const { wait } = await startLogin(identity)
    const gone = new AbortController()
    const left = fetch(wait, { signal: gone.signal }).catch(() => 'left')
    await taken(1)
    const full = await answer(await fetch(wait))
    assert.deepEqual([full.status, full.body.Code], [503, 'service unavailable'])
    assert.equal(full.headers.get('retry-after'), '1')
    gone.abort()
    assert.equal(await left, 'left')
    await eventually('its place is free', async () => {
      const again = new AbortController()
      const refused = fetch(wait, { signal: again.signal }).catch(() => 'still waiting')
      const waits = await Promise.race([taken(2), refused.then(() => false)])
      again.abort()
      await refused
      return waits
    })
  })

  for (const [what, of] of [
    ['an address', () => '2001:db8::1'],
    ['the /64s of an IPv6 /48', (i: number) => `2001:db8:0:${i}::1`],
    ['the /48s of an IPv6 /32', (i: number) => `2001:db8:${i}::1`],
    ['the addresses of an IPv4 /24', (i: number) => `100.64.0.${i}`],
  ] as const) {
    test(`${what} cannot occupy every place, because another network gets the place of the oldest`, async () => {
      const { completedLogins, taken } = placesOf(world.completedLogins)
      const identity = await start({ waitLimit: 4, completedLogins })
      const { visit, wait } = await startLogin(identity)
      const from = (address: string) =>
        fetch(wait, { headers: { 'x-forwarded-for': address } }).then(({ status }) => `${address} ${status}`)
      const greedy = Array.from({ length: 4 }, (_, i) => from(of(i)))
      await taken(4)
      assert.equal(await from(of(1)), `${of(1)} 503`, 'the same network')
      const others = ['192.0.2.1', '198.51.100.1', '203.0.113.1'].map(from)
      await taken(7)
      assert.equal(await from('203.0.114.1'), '203.0.114.1 503', 'every client has one place')
      await approve(visit)
      assert.deepEqual(await Promise.all(others), ['192.0.2.1 200', '198.51.100.1 200', '203.0.113.1 200'])
      const statuses = (await Promise.all(greedy)).map((answer) => answer.slice(-3))
      assert.deepEqual(statuses.sort(), ['200', '503', '503', '503'])
    })
  }

  test('a service that stops answers every wait with 503, so that clients ask another node', async () => {
    const { completedLogins, taken } = placesOf(world.completedLogins)
    const identity = await startIdentity(world, { completedLogins })
    const { wait } = await startLogin(identity)
    const waiting = Promise.all(Array.from({ length: 3 }, () => fetch(wait).then(answer)))
    await taken(3)
    // The close answers the waits, not their own timeout after minutes.
    const closed = identity.app.close()
    for (const { status, body } of await waiting)
      assert.deepEqual([status, body.Code], [503, 'service unavailable'])
    // Their connections stay open for the next request.
    identity.app.server.closeIdleConnections()
    await closed
  })

  test('a wait survives the loss of the database, but cannot begin without it (503)', async () => {
    let away = false
    let refusals = 0
    const real = world.completedLogins
    const orAway = <T>(ask: () => Promise<T>): Promise<T> =>
      away ? Promise.reject(new Unavailable('the database is away')) : ask()
    const { completedLogins, taken } = placesOf({
      ...real,
      find: (id) => orAway(() => real.find(id)),
      findAll: (ids) => {
        if (away) refusals += 1
        return orAway(() => real.findAll(ids))
      },
    })
    const identity = await start({ completedLogins })
    const other = await start()
    const { visit, wait } = await startLogin(identity)
    const waiting = fetch(wait).then(answer)
    await taken(1)
    away = true
    const refused = await answer(await fetch(wait))
    assert.deepEqual([refused.status, refused.body.Code], [503, 'service unavailable'])
    await eventually('a query of those who wait is refused', () => refusals > 0)
    await approve(visit.replace(identity.location, other.location))
    away = false
    assert.equal((await waiting).status, 200)
  })
})
