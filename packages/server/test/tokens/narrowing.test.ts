/** Guarantee: caveats on a root before its exchange never hide a token, widen one, or make one useless. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addFirstPartyCaveat } from '@ratafia/macaroon'
import { decodeBakeryMacaroon, encodeBakeryMacaroon } from '@ratafia/macaroon/bakery'
import { formatTimeBefore } from '@ratafia/macaroon/conditions'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  logIn,
  macaroonOf,
  presenting,
  refusalOf,
  sessionOf,
  testService,
} from '../support/service.ts'

const HOUR = 3_600_000

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let person: Account
  before(async () => {
    person = await addPerson(service)
  })
  const restrict = (root: string, ...conditions: string[]): string => {
    const bakery = decodeBakeryMacaroon(JSON.parse(root))
    const macaroon = conditions.reduce((m, c) => addFirstPartyCaveat(m, c), bakery.macaroon)
    return JSON.stringify(encodeBakeryMacaroon({ ...bakery, macaroon }))
  }
  const extra = (limits: Record<string, readonly string[]>) => `extra ${JSON.stringify(limits)}`
  const exchange = async (root: string) =>
    call(service, 'POST', '/api/v2/tokens/exchange', {
      headers: presenting(await dischargeFor(service, root, person)),
      body: {},
    })
  const whoami = (token: string) => call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })

  test('a first use with an earlier expiry does not hide the session from the list of active ones', async () => {
    const root = await getRoot(service, {
      expires: new Date(service.now().getTime() + 9 * HOUR).toISOString(),
    })
    const short = restrict(root, formatTimeBefore(new Date(service.now().getTime() + HOUR)))
    await exchangeSlice(service, await dischargeFor(service, short, person))
    const token = await exchangeSlice(service, await dischargeFor(service, root, person))
    service.advance(2 * HOUR)
    assert.equal((await whoami(token)).status, 200)
    const { body } = await call(service, 'GET', '/api/v2/tokens', { headers: bearing(token) })
    const record = body.macaroons.find(
      (session: Record<string, string>) => session['session-id'] === sessionOf(token),
    )
    assert.ok(record, 'the token works, so its session is listed')
    assert.equal(record['valid-until'].slice(0, 19), (await whoami(token)).body.expires.slice(0, 19))
  })

  test('a token expires with the earlier expiry that its root was narrowed to', async () => {
    const end = new Date(service.now().getTime() + HOUR)
    const token = await exchangeSlice(
      service,
      await dischargeFor(service, restrict(await getRoot(service), formatTimeBefore(end)), person),
    )
    assert.equal((await whoami(token)).body.expires, end.toISOString().slice(0, -1))
  })

  test('answers 400 to an exchange with limits that together do not fit into a token', async () => {
    const many = (name: string) => ['*', ...Array.from({ length: 200 }, (_, index) => `${name}${index}`)]
    const long = (name: string) => [
      '*',
      ...Array.from({ length: 120 }, (_, index) => name.repeat(100) + index),
    ]
    const wide = Array.from({ length: 100 }, (_, index) => `${'漢'.repeat(60)}${index}`)
    for (const [own, added] of [
      [many('a'), many('b')],
      [long('a'), long('b')],
      [['*'], wide],
    ] as const) {
      const root = await getRoot(service, { channels: own })
      const { status, code, message } = refusalOf(await exchange(restrict(root, extra({ channel: added }))))
      assert.deepEqual([status, code], [400, 'limit-exceeded'])
      assert.match(message, /24576 bytes/)
    }
  })

  test('a permission that does not exist permits nothing', async () => {
    const mixed = restrict(await getRoot(service), extra({ acl: ['package_access', 'made_up'] }))
    const token = (await exchange(mixed)).body.macaroon
    assert.deepEqual((await whoami(token)).body.permissions, ['package_access'])

    const { status, message } = refusalOf(
      await exchange(restrict(await getRoot(service), extra({ acl: ['made_up'] }))),
    )
    assert.equal(status, 401)
    assert.match(message, /no permissions are left/)
    const stores = restrict(await getRoot(service, { store_ids: ['acme'] }), extra({ store_ids: ['other'] }))
    assert.match(refusalOf(await exchange(stores)).message, /no store_ids are left/)
    const own = addFirstPartyCaveat(macaroonOf(await logIn(service, person)), extra({ acl: ['made_up'] }))
    const refused = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting([own]) })
    assert.equal(refused.status, 401)
  })
})
