/** Every spelling in which a macaroon can be presented, and the caveats that its holder can add. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  decodeJson,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  encodeJson,
  type Macaroon,
  mint,
} from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  getRoot,
  logIn,
  macaroonOf,
  presenting,
  refusalOf,
  testService,
} from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let person: Account
  let token: string
  let slice: readonly [Macaroon, ...Macaroon[]]
  before(async () => {
    person = await addPerson(service)
    token = await logIn(service, person)
    slice = await dischargeFor(service, await getRoot(service), person)
  })
  const whoami = (headers: Record<string, string>) =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  const textOf = (macaroon: Macaroon) => encodeBase64Url(encodeBinary(macaroon))

  describe('spellings', () => {
    const spellings: Record<string, () => Record<string, string>> = {
      'Authorization: Macaroon TOKEN': () => ({ authorization: `Macaroon ${token}` }),
      'the scheme in lower case': () => ({ authorization: `macaroon ${token}` }),
      'the scheme in capitals': () => ({ authorization: `MACAROON ${token}` }),
      'standard base64 with padding': () => ({
        authorization: `Macaroon ${encodeBase64(encodeBinary(macaroonOf(token)))}`,
      }),
      'a JSON list in base64': () => ({
        authorization: `Macaroon ${encodeBase64Url(Buffer.from(JSON.stringify([encodeJson(macaroonOf(token))])))}`,
      }),
      'JSON text': () => ({ authorization: `Macaroon ${JSON.stringify(encodeJson(macaroonOf(token)))}` }),
      'Authorization with root and discharge': () => ({
        authorization: `Macaroon ${encodeBase64Url(encodeBinary(...slice))}`,
      }),
      'Authorization with root= and discharge=': () => ({
        authorization: `Macaroon root=${textOf(slice[0])}, discharge="${textOf(slice[1] ?? slice[0])}"`,
      }),
      'Macaroons: a token': () => presenting([macaroonOf(token)]),
      'Macaroons: a token in binary': () => ({ macaroons: token }),
      'Macaroons: root and discharge': () => presenting(slice),
      'Macaroons: standard base64 with padding and spaces in the JSON': () => ({
        macaroons: Buffer.from(JSON.stringify(slice.map(encodeJson), undefined, 1)).toString('base64'),
      }),
      'Macaroons: after another that is not ours': () => ({
        macaroons: `${presenting([mint({ rootKey: Buffer.alloc(24), id: Buffer.from('x'), location: '' })])['macaroons']}, ${presenting(slice)['macaroons']}`,
      }),
      'Macaroons: after one that cannot be read': () => ({
        macaroons: `e30, ${presenting(slice)['macaroons']}`,
      }),
      'Macaroons next to an empty Authorization': () => ({ authorization: '', ...presenting(slice) }),
    }
    for (const [name, headers] of Object.entries(spellings)) {
      test(`accepts ${name}`, async () => {
        const { status, body } = await whoami(headers())
        assert.equal(status, 200, JSON.stringify(body))
        assert.equal(body.account.id, person.id)
      })
    }
  })

  describe('the holder’s own limits', () => {
    const whoamiOf = async (conditions: readonly string[], request: unknown = {}) => {
      const own = macaroonOf(await logIn(service, person, request))
      return whoami(bearing(textOf(conditions.reduce(addFirstPartyCaveat, own))))
    }

    test('accepts an earlier expiry', async () => {
      const end = new Date(service.now().getTime() + 3_600_000).toISOString()
      const { body } = await whoamiOf([`time-before ${end}`, 'time-before 2099-01-01T00:00:00Z'])
      assert.equal(body.expires, end.slice(0, -1))
    })

    test('ignores a later expiry', async () => {
      const { body } = await whoamiOf(['time-before 2099-01-01T00:00:00Z'], {
        expires: '2098-01-01T00:00:00Z',
      })
      assert.equal(body.expires, '2098-01-01T00:00:00.000')
    })

    test('intersects extra, and channel patterns by inclusion', async () => {
      const { body } = await whoamiOf(
        [
          'extra {"channel": ["2.0/*", "edge", "other"], "acl": ["package_push", "store_admin"]}',
          'extra {"channel": ["2.0/stable", "edge"], "package_id": ["b", "c"]}',
        ],
        {
          channels: ['2.*', 'edge'],
          permissions: ['package_access', 'package_push'],
          packages: [{ snap_id: 'a' }, { snap_id: 'b' }],
        },
      )
      assert.deepEqual(new Set(body.channels), new Set(['2.0/stable', 'edge']))
      assert.deepEqual([body.permissions, body.packages], [['package_push'], ['b']])
    })

    const refused: Record<string, [conditions: string[], code: string, message: RegExp]> = {
      'an expiry in the past': [
        ['time-before 2020-01-01T00:00:00Z'],
        'macaroon-authorization-required',
        /expired at 2020/,
      ],
      'a start in the future': [
        ['time-since 2099-01-01T00:00:00Z'],
        'macaroon-authorization-required',
        /not valid before/,
      ],
      'a time that cannot be read': [
        ['time-before tomorrow'],
        'macaroon-authorization-required',
        /cannot be read/,
      ],
      'limits that exclude each other': [
        ['extra {"acl": ["package_push"]}', 'extra {"acl": ["store_admin"]}'],
        'macaroon-authorization-required',
        /exclude each other/,
      ],
      'an unknown limit': [['ip-address 127.0.0.1'], 'macaroon-caveat-unknown', /ip-address/],
      'an unknown limit inside extra': [
        ['extra {"tracks": ["2"]}'],
        'macaroon-authorization-required',
        /unknown key/,
      ],
      'an error': [['error no more'], 'macaroon-authorization-required', /refuses it/],
      'another session': [['session-id 0'], 'macaroon-authorization-required', /two sessions/],
      'another identity': [['declared userid eve'], 'macaroon-authorization-required', /more than one/],
      'an empty caveat': [[''], 'macaroon-authorization-required', /cannot be read/],
    }
    for (const [name, [conditions, code, message]] of Object.entries(refused)) {
      test(`answers 401 to ${name}`, async () => {
        const refusal = refusalOf(await whoamiOf(conditions))
        assert.deepEqual([refusal.status, refusal.code], [401, code])
        assert.match(refusal.message, message)
      })
    }

    test('accepts a holder’s third-party caveat only with its discharge', async () => {
      const rootKey = Buffer.alloc(24, 1)
      const id = Buffer.from('ask my colleague')
      const guarded = addThirdPartyCaveat(macaroonOf(await logIn(service, person)), {
        rootKey,
        id,
        location: 'elsewhere',
      })
      assert.equal((await whoami(presenting([guarded]))).status, 401)
      const { bindDischarge } = await import('@ratafia/macaroon')
      const discharge = bindDischarge(guarded, mint({ rootKey, id, location: 'elsewhere' }))
      assert.equal((await whoami(presenting([guarded, discharge]))).status, 200)
    })

    test('answers 401 to the exchange of a root with such a caveat, because the token would lose it', async () => {
      const rootKey = Buffer.alloc(24, 1)
      const id = Buffer.from('ask my colleague')
      const root = decodeJson(JSON.parse(await getRoot(service)))
      const guarded = addThirdPartyCaveat(root, { rootKey, id, location: 'elsewhere' })
      const answer = await call(service, 'POST', '/api/v2/tokens/exchange', {
        headers: presenting([guarded]),
      })
      assert.match(refusalOf(answer).message, /cannot keep/)
    })
  })

  describe('limits', () => {
    const over: Record<string, () => Macaroon[]> = {
      '129 caveats': () => [
        Array.from({ length: 129 }, (_, i) => `time-before 2099-01-01T00:00:00.${i}Z`).reduce(
          addFirstPartyCaveat,
          macaroonOf(token),
        ),
      ],
      'a condition over 24 KiB': () => [
        addFirstPartyCaveat(macaroonOf(token), `extra ${'x'.repeat(24_576)}`),
      ],
      '17 macaroons': () => Array.from({ length: 17 }, () => macaroonOf(token)),
      'an id over 3 KiB': () => [
        mint({ rootKey: Buffer.alloc(24), id: Buffer.alloc(3073, 1), location: '' }),
      ],
    }
    for (const [name, macaroons] of Object.entries(over)) {
      test(`answers 400 to ${name}`, async () => {
        const refusal = refusalOf(await whoami(presenting(macaroons())))
        assert.deepEqual([refusal.status, refusal.code], [400, 'limit-exceeded'])
        assert.match(refusal.message, /the limit is/)
      })
    }
  })
})
