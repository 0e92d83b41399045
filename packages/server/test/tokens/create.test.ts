import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS } from '@ratafia/api'
import { MacaroonResponseSchema } from '@ratafia/api/schemas'
import { decodeJson, type Macaroon } from '@ratafia/macaroon'
import { decodeCaveatId } from '@ratafia/macaroon/bakery'
import { Check } from 'typebox/value'
import { importPackages } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import { call, getRoot, refusalOf, type TestService, testService } from '../support/service.ts'

const conditions = (macaroon: Macaroon) => macaroon.caveats.map(({ id }) => Buffer.from(id).toString())
const rowsOf = async ({ installation }: TestService) => {
  const tables = [
    'account',
    'token_session',
    'completed_login',
    'sign_in_session',
    'external_identity',
    'root_key',
  ] as const
  const counts = tables.map((table) =>
    installation.database.query
      .selectFrom(table)
      .select((each) => each.fn.countAll().as('count'))
      .executeTakeFirstOrThrow(),
  )
  return (await Promise.all(counts)).map(({ count }) => Number(count))
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call(service, 'POST', '/api/v2/tokens', { body, headers })
  const root = async (request?: unknown) => decodeJson(JSON.parse(await getRoot(service, request)))

  test('answers with a JSON string of one bare version 2 macaroon, and exact headers', async () => {
    const { status, headers, body } = await post({})
    assert.equal(status, 200)
    assert.ok(Check(MacaroonResponseSchema, body))
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('snap-store-version'), '32')
    assert.equal(headers.get('cache-control'), 'no-store')
    const json = JSON.parse(body.macaroon)
    assert.deepEqual(Object.keys(json).sort(), ['c', 'i64', 'l', 's64', 'v'])
    assert.equal(json.v, 2)
    assert.equal(json.l, new URL(service.baseUrl).host)
  })

  test('the root has the caveats of the contract, in order', async () => {
    const macaroon = await root({
      channels: ['edge', '2.*/stable'],
      packages: [{ name: 'foo', series: '16' }, { snap_id: 'abc' }],
      permissions: ['package_access', 'package_push'],
      store_ids: ['acme'],
      expires: '2099-01-02T03:04:05Z',
    })
    const [before, since, session, , extra] = conditions(macaroon)
    assert.equal(before, 'time-before 2099-01-02T03:04:05.000000Z')
    assert.match(since ?? '', /^time-since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    assert.match(
      session ?? '',
      /^session-id [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    assert.equal(
      extra,
      'extra {"channel": ["edge", "2.*/stable"], "package_id": ["foo", "abc"], "acl": ["package_access", "package_push"], "store_ids": ["acme"]}',
    )
    assert.equal(macaroon.caveats.length, 5)
    assert.deepEqual(
      macaroon.caveats.map(({ verificationId }) => verificationId !== undefined),
      [false, false, false, true, false],
    )
    assert.equal(macaroon.caveats[3]?.location, `${service.baseUrl}/identity`)
  })

  test('without limits, extra is all null and the lifetime is 365 days', async () => {
    const [before, since, , , extra] = conditions(await root())
    assert.equal(extra, 'extra {"channel": null, "package_id": null, "acl": null, "store_ids": null}')
    const at = (text = '') => Date.parse(text.split(' ')[1] ?? '')
    assert.equal(at(before) - at(since), 365 * 86_400_000)
  })

  test('the third-party caveat asks for a userid, and contains a summary of the request', async () => {
    const macaroon = await root({
      permissions: ['package_access'],
      description: 'my laptop',
      packages: [{ name: 'foo' }],
    })
    const keyPairs = await service.installation.keyring.dischargerKeyPairs()
    const caveat = decodeCaveatId(macaroon.caveats[3]?.id ?? new Uint8Array(), keyPairs)
    assert.equal(caveat.version, 2)
    assert.ok(caveat.rootKey.length >= 24)
    const [, summary] =
      /^need-declared userid is-authenticated-userid for (\{.*\})$/.exec(caveat.condition) ?? []
    assert.ok(
      summary?.includes('package_access') && summary.includes('my laptop') && summary.includes('foo'),
      summary,
    )
  })

  for (const expires of [
    ...['2099-01-01T00:00:00Z', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00+00:00'],
    ...['2099-01-01T00:00:00-00:00', '2099-01-01T00:00:00', '2099-01-01T00:00:00.123456'],
    ...['2099-01-01 00:00:00', '2099-01-01t00:00:00z', '2099-01-01T00:00:00.123456789012345678901234567890Z'],
    ...['2098-12-31T23:59:60Z', '2098-12-31T23:59:60.123Z'],
  ]) {
    test(`reads the expiry ${expires} as UTC`, async () => {
      const [before] = conditions(await root({ expires }))
      assert.match(before ?? '', /^time-before 2099-01-01T00:00:00\.(000|123)000Z$/)
    })
  }

  const [REQUEST, FIELD] = ['invalid-request', 'invalid-field']
  const refusals: readonly [name: string, body: unknown, code: string, message: RegExp][] = [
    ['an unknown field', { permission: ['package_access'] }, REQUEST, /unknown field: "permission"/],
    ['a list', [], REQUEST, /^The body must be an object\.$/],
    ['a string', '"x"', REQUEST, /object/],
    ['null', 'null', REQUEST, /object/],
    ['text that is not JSON', '{', REQUEST, /not JSON/],
    ['__proto__', '{"__proto__": {"x": 1}}', REQUEST, /__proto__/],
    ['empty channels', { channels: [] }, FIELD, /^The field "channels" must not be empty/],
    ['repeated channels', { channels: ['edge', 'edge'] }, FIELD, /channels/],
    ['a channel that is not a string', { channels: [1] }, FIELD, /channels\/0/],
    ['a channel with control characters', { channels: ['a\u0000b'] }, FIELD, /channels\/0/],
    ['an endless channel', { channels: ['x'.repeat(129)] }, FIELD, /channels\/0/],
    ['257 channels', { channels: Array.from({ length: 257 }, (_, i) => `c${i}`) }, FIELD, /channels/],
    ['empty packages', { packages: [] }, FIELD, /packages/],
    [
      'a package without name and id',
      { packages: [{ series: '16' }] },
      FIELD,
      /packages\/0" needs at least one of the fields "name" and "snap_id"/,
    ],
    ['repeated packages', { packages: [{ name: 'a' }, { name: 'a' }] }, FIELD, /packages/],
    ['an unknown permission', { permissions: ['root'] }, FIELD, /permissions\/0.*package_access/],
    ['empty permissions', { permissions: [] }, FIELD, /permissions/],
    ['empty store_ids', { store_ids: [] }, FIELD, /store_ids/],
    ['a description that is not a string', { description: 1 }, FIELD, /description/],
    ['a description with an escape', { description: 'a\u001b[2Jb' }, FIELD, /description" has control/],
    ['a description with NUL', { description: 'a\0b' }, FIELD, /description" has control/],
    [
      'a description with half a character',
      '{"description":"\\ud83d"}',
      FIELD,
      /description" has control characters .* or invalid Unicode/,
    ],
    [
      'a description over 512 characters',
      { description: 'x'.repeat(513) },
      FIELD,
      /description" is longer than 512 characters/,
    ],
    [
      'limits that do not fit into a caveat',
      { channels: Array.from({ length: 256 }, (_, i) => `${'x'.repeat(96)}${i}`) },
      'limit-exceeded',
      /together have over 24576 bytes/,
    ],
    ['expires with a different offset', { expires: '2099-01-01T00:00:00+02:00' }, FIELD, /UTC/],
    ['expires in the past', { expires: '2020-01-01T00:00:00Z' }, FIELD, /future/],
    ['expires that is a date alone', { expires: '2099-01-01' }, FIELD, /RFC 3339/],
    ['expires in the basic format', { expires: '20990101T000000Z' }, FIELD, /RFC 3339/],
    ['expires without minutes', { expires: '2099-01-01T00Z' }, FIELD, /RFC 3339/],
    ['expires at 24:00', { expires: '2099-01-01T24:00:00Z' }, FIELD, /does not exist/],
    ['expires at 22:59:60', { expires: '2099-01-01T22:59:60Z' }, FIELD, /does not exist/],
    ['expires at 23:58:60', { expires: '2099-01-01T23:58:60Z' }, FIELD, /does not exist/],
    ['expires at 23:59:61', { expires: '2099-01-01T23:59:61Z' }, FIELD, /does not exist/],
    ['expires after the last year', { expires: '9999-12-31T23:59:60Z' }, FIELD, /does not exist/],
    ['expires on a day that does not exist', { expires: '2099-02-30T00:00:00Z' }, FIELD, /does not exist/],
    ['expires as a number', { expires: 4102444800 }, FIELD, /expires/],
  ]
  for (const [name, body, code, message] of refusals) {
    test(`answers 400 to ${name}`, async () => {
      const answer = await post(body)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      const refusal = refusalOf(answer)
      assert.equal(refusal.code, code)
      assert.match(refusal.message, message)
    })
  }

  test('accepts every permission of the specification', async () => {
    assert.equal(PERMISSIONS.length, 14)
    const extra = conditions(await root({ permissions: PERMISSIONS }))[4]
    for (const permission of PERMISSIONS) assert.ok(extra?.includes(`"${permission}"`), permission)
  })

  test('answers 413 to a body over 64 KiB', async () => {
    const refusal = refusalOf(await post({ description: 'x'.repeat(65_536) }))
    assert.deepEqual([refusal.status, refusal.code], [413, 'request-too-large'])
    assert.match(refusal.message, /64 KiB/)
  })

  test('answers 431 to headers over 64 KiB, in the same form', async () => {
    const refusal = refusalOf(await post({}, { 'x-large': 'x'.repeat(66_000) }))
    assert.deepEqual([refusal.status, refusal.code], [431, 'headers-too-large'])
  })

  test('reads the body as JSON regardless of its content type, even without one', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream']) {
      const { status } = await post('{"permissions": ["package_access"]}', { 'content-type': type })
      assert.equal(status, 200, type)
    }
    const bare = await call(service, 'POST', '/api/v2/tokens')
    assert.equal(bare.status, 200)
  })

  test('writes nothing before a person has logged in', async () => {
    const earlier = await rowsOf(service)
    for (let i = 0; i < 20; i++) await getRoot(service, { description: `root ${i}` })
    assert.deepEqual(await rowsOf(service), earlier)
  })

  test('the summary shows the package id that a token is limited to, whatever name was sent with it', async () => {
    const packages = [{ name: 'harmless', snap_id: 'ImportantId' }, { name: 'foo' }, { snap_id: 'Other' }]
    const minted = await root({ packages })
    assert.match(conditions(minted)[4] ?? '', /"package_id": \["ImportantId", "foo", "Other"\]/)
    const keyPairs = await service.installation.keyring.dischargerKeyPairs()
    const { condition } = decodeCaveatId(minted.caveats[3]?.id ?? assert.fail(), keyPairs)
    assert.deepEqual(JSON.parse(condition.slice(condition.indexOf('{'))).packages, [
      'ImportantId (harmless)',
      'foo',
      'Other',
    ])
  })

  test('every root is different', async () => {
    const roots = await Promise.all(Array.from({ length: 20 }, () => root()))
    assert.equal(new Set(roots.map(({ id }) => Buffer.from(id).toString('hex'))).size, 20)
    assert.equal(new Set(roots.map((each) => conditions(each)[2])).size, 20)
  })

  test('with a package directory, names become ids and unknown names are refused', async () => {
    const { installation } = service
    const csv = 'name,snap_id\nfoo,FooId\nbar,BarId\n'
    await importPackages(csv, { format: 'csv', replaceAll: true }, installation)
    const known = conditions(
      await root({ packages: [{ name: 'foo' }, { name: 'bar', snap_id: 'BarId' }, { snap_id: 'Other' }] }),
    )
    assert.match(known[4] ?? '', /"package_id": \["FooId", "BarId", "Other"\]/)
    for (const packages of [[{ name: 'baz' }], [{ name: 'foo', snap_id: 'BarId' }]]) {
      const refusal = refusalOf(await post({ packages }))
      assert.deepEqual([refusal.status, refusal.code], [400, 'package-not-found'])
    }
    await importPackages('[]', { format: 'json', replaceAll: true }, installation)
  })
})
