/** The largest tokens, from creation to revocation, and the cost of their limits. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addFirstPartyCaveat } from '@ratafia/macaroon'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { oneDatabase } from '../support/databases.ts'
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
  revokeOwn,
  testService,
} from '../support/service.ts'

/** Returns an id of 32 characters, like those of the store. */
const id = (kind: string, index: number) => `${kind}${index}`.padEnd(32, 'aB3dE5fG7h')
const ids = (kind: string, length: number) => Array.from({ length }, (_, index) => id(kind, index))
const channels = Array.from(
  { length: 256 },
  (_, index) => `${index % 40}.${index}-lts/candidate/fix-lp-20${index}`,
)

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let person: Account
  before(async () => {
    person = await addPerson(service)
  })
  const whoami = (headers: Record<string, string>) =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  const extra = (limits: Record<string, readonly string[]>) => `extra ${JSON.stringify(limits)}`

  test('accepts 256 packages, 256 channels and 64 stores, from creation to revocation', async () => {
    const [packages, stores] = [ids('package', 256), ids('store', 64)]
    const request = {
      // craft-store sends packages like this.
      packages: packages.map((snap_id) => ({ series: '16', snap_id })),
      channels,
      store_ids: stores,
      permissions: ['package_access', 'package_release'],
      description: '😀'.repeat(512),
    }
    const root = await getRoot(service, request)
    const slice = await dischargeFor(service, root, person)
    // Python's clients write a space after each separator.
    const list = JSON.parse(Buffer.from(formatMacaroonsHeader(slice), 'base64url').toString())
    const spaced = Buffer.from(JSON.stringify(list, null, 1).replaceAll(/\n */g, ' ')).toString('base64')
    const token = await exchangeSlice(service, slice)
    for (const headers of [presenting(slice), { macaroons: spaced }, bearing(token)]) {
      const { status, body } = await whoami(headers)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.packages, body.channels, body.store_ids], [packages, channels, stores])
    }
    const narrowed = addFirstPartyCaveat(
      macaroonOf(token),
      extra({ channel: channels.slice(100), acl: ['package_access'] }),
    )
    const { body } = await whoami(presenting([narrowed]))
    assert.deepEqual([body.channels, body.permissions], [channels.slice(100), ['package_access']])
    assert.equal((await revokeOwn(service, token)).status, 200)
    assert.equal((await whoami(bearing(token))).status, 401)
  })

  // Guarantee: every issued root can be presented with its discharge.
  test('a root with the largest limits can be exchanged, whatever characters they consist of', async () => {
    for (const [character, length] of [
      ['x', 90],
      ['"', 23],
      ['\\', 23],
    ] as const) {
      const texts = Array.from({ length: 230 }, (_, index) => character.repeat(length) + index)
      const description = '😀'.repeat(512)
      const root = await getRoot(service, { channels: texts, description })
      const slice = await dischargeFor(service, root, person)
      const token = await exchangeSlice(service, slice)
      assert.deepEqual((await whoami(bearing(token))).body.channels, texts)
      // 20 more channels are too many.
      const more = Array.from({ length: 20 }, (_, index) => character.repeat(length) + (230 + index))
      const refused = await call(service, 'POST', '/api/v2/tokens', {
        body: { channels: [...texts, ...more] },
      })
      assert.equal(refused.status, 400)
      assert.equal(refusalOf(refused).code, 'limit-exceeded')
    }
  })

  // Guarantee: the cost of comparing channels does not grow with the number of macaroons in a request.
  test('all macaroons of a request share one budget for comparing channels', async () => {
    const token = macaroonOf(await logIn(service, person))
    const slow = (name: string, more: readonly string[]) =>
      extra({ channel: [...more, ...Array.from({ length: 6 }, (_, i) => `${'*a'.repeat(45)}${name}${i}`)] })
    const narrowed = (more: readonly string[]) =>
      formatMacaroonsHeader([[slow('x', more), slow('y', more)].reduce(addFirstPartyCaveat, token)])
    const [valid, empty] = [narrowed(['edge']), narrowed([])]
    assert.equal((await whoami({ macaroons: valid })).status, 200)
    assert.equal((await whoami({ macaroons: formatMacaroonsHeader([token]) })).status, 200)
    // The first alone uses more than half of the budget, and is refused for a different reason.
    assert.match(refusalOf(await whoami({ macaroons: empty })).message, /no channels are left/)
    assert.equal((await whoami({ macaroons: `${empty},${valid}` })).status, 401)
    assert.equal((await whoami({ macaroons: `${empty},${formatMacaroonsHeader([token])}` })).status, 200)
  })
})
