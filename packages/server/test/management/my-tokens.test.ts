/** Tests the caller's own tokens in the management API: revoking all at once, and explaining one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { asOnprem } from '../../src/credential-forms.ts'
import { insertMany } from '../../src/database/index.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { addManager, giveRoles, manage, managementToken, managerToken } from '../support/managers.ts'
import {
  addPerson,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  logIn,
  macaroonOf,
  narrowed,
  presenting,
  refusalOf,
  sessionOf,
  testService,
  whoami,
} from '../support/service.ts'

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const { testOnce } = onOne(kind)

  const revokeAll = (token: string, body: object = {}, query = '') =>
    manage(service, token, 'POST', '/me/tokens/revoke', { body, query })
  const entries = async (action: string, actor: string) =>
    (
      await service.installation.database.query
        .selectFrom('audit_entry')
        .select('subject')
        .where('action', '=', action)
        .where('actor', '=', actor)
        .execute()
    ).map(({ subject }) => subject)

  test("revokes all my sessions but the named ones, and no other user's", async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const kept = await logIn(service, ada)
    const lost = [await logIn(service, ada), await logIn(service, ada), await managementToken(service, ada)]
    const other = await logIn(service, await addPerson(service))
    const all_but = [sessionOf(token), sessionOf(kept)]
    for (const id of [sessionOf(other), newSessionId(), 'x']) {
      const { status, body } = await revokeAll(token, { all_but: [...all_but, id] })
      const message = `The field "all_but" names "${id}", which isn't one of your sessions. No session was revoked.`
      assert.deepEqual([status, body.error_list[0].message], [400, message])
    }
    const dry = await revokeAll(token, { all_but }, '?dry_run=true')
    assert.deepEqual([dry.status, dry.body], [200, { revoked: 3, more: false }])
    assert.equal(await whoami(service, lost[0] ?? ''), 200)
    const done = await revokeAll(token, { all_but })
    assert.deepEqual([done.status, done.body], [200, { revoked: 3, more: false }])
    for (const one of lost.slice(0, 2)) assert.equal(await whoami(service, one), 401)
    assert.equal((await manage(service, lost[2] ?? '', 'GET', '/me')).status, 401)
    for (const one of [kept, other]) assert.equal(await whoami(service, one), 200)
    assert.deepEqual((await revokeAll(token, { all_but })).body, { revoked: 0, more: false })
    assert.deepEqual(
      [...(await entries('token.revoke', `account:${ada.username}`))].sort(),
      lost.map(sessionOf).sort(),
    )
    assert.deepEqual(await entries('token.revoke-all', `account:${ada.username}`), [])
  })

  test("a request without names also revokes the caller's session, and logins that have not been used yet", async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const waiting = await dischargeFor(service, await getRoot(service), ada)
    const unused = { headers: presenting(waiting), body: {} }
    assert.deepEqual((await revokeAll(token, {}, '?dry_run=true')).body, { revoked: 1, more: false })
    assert.deepEqual((await revokeAll(token)).body, { revoked: 1, more: false })
    assert.equal((await manage(service, token, 'GET', '/me')).status, 401)
    const refused = refusalOf(await call(service, 'POST', '/api/v2/tokens/exchange', unused))
    assert.match(refused.message, /are no longer valid/)
    assert.deepEqual(await entries('token.revoke-all', `account:${ada.username}`), [ada.username])
    service.advance(1000)
    const again = (await service.installation.accounts.findById(ada.id)) ?? assert.fail()
    assert.equal(await whoami(service, await logIn(service, again)), 200)
  })

  test('Guarantee: a login that is used while all sessions are revoked opens nothing, in either order', async () => {
    for (let round = 0; round < 3; round++) {
      const ada = await addManager(service, 'viewer acme')
      const token = await managementToken(service, ada)
      const slices = await Promise.all(
        Array.from({ length: 8 }, async () => dischargeFor(service, await getRoot(service), ada)),
      )
      const exchanging = slices.map((slice) =>
        call(service, 'POST', '/api/v2/tokens/exchange', { headers: presenting(slice), body: {} }),
      )
      const revoked = revokeAll(token)
      const answers = await Promise.all(exchanging)
      assert.equal((await revoked).status, 200)
      for (const { status, body } of answers) {
        if (status === 200) assert.equal(await whoami(service, body.macaroon), 401)
        else assert.equal(status, 401, JSON.stringify(body))
      }
      const active = await service.installation.tokenSessions.list({
        ...{ accountId: ada.id, activeAt: service.now(), limit: 100 },
      })
      assert.deepEqual(active, [])
    }
  })

  test('requires a person who signed in recently', async () => {
    const ada = await addManager(service, 'operator')
    const agent = await managementToken(service, ada, {}, { signedIn: 'agent line' })
    assert.equal(refusalOf(await revokeAll(agent)).code, 'person-required')
    const token = await managementToken(service, ada)
    service.advance(16 * 60_000)
    const { status, body } = await revokeAll(token)
    assert.deepEqual([status, body.error_list[0].code], [401, 'recent-sign-in-required'])
  })

  testOnce('reports more sessions than one request can revoke', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const { query } = service.installation.database
    const [row] = await query
      .selectFrom('token_session')
      .selectAll()
      .where('account_id', '=', ada.id)
      .execute()
    const rows = Array.from({ length: 1_001 }, () => ({
      ...(row ?? assert.fail()),
      session_id: newSessionId(),
    }))
    await insertMany(query, 'token_session', rows).execute()
    const all_but = [sessionOf(token)]
    assert.deepEqual((await revokeAll(token, { all_but })).body, { revoked: 1_000, more: true })
    assert.deepEqual((await revokeAll(token, { all_but })).body, { revoked: 1, more: false })
  })

  const explain = async (token: string, by: string) => {
    const { status, body, headers } = await manage(service, by, 'POST', '/me/tokens/explain', {
      body: { token },
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers.get('etag'), null)
    return body
  }
  const curious = async () => managerToken(service, 'viewer acme')
  const ALL = { permissions: null, channels: null, packages: null, store_ids: null }
  const NOTHING = { username: null, session_id: null, expires: null, limits: null, may: null }

  test('explains a developer token, its root, and the string of a tool', async () => {
    const by = await curious()
    const bob = await addPerson(service)
    const slice = await dischargeFor(
      service,
      await getRoot(service, { permissions: ['package_upload'], channels: ['edge', 'beta'] }),
      bob,
    )
    const token = await exchangeSlice(service, slice)
    const root = encodeBase64Url(encodeBinary(...slice))
    const limits = { ...ALL, permissions: ['package_upload'], channels: ['edge', 'beta'] }
    for (const [text, kind] of [
      [token, 'developer-token'],
      [` ${asOnprem({ token })}\n`, 'developer-token'],
      [root, 'developer-root'],
    ] as const) {
      const { expires, ...rest } = await explain(text, by)
      assert.deepEqual(rest, {
        ...{ kind, accepted: true, refusal: null, username: bob.username },
        ...{ session_id: sessionOf(token), limits, may: null },
      })
      assert.ok(Date.parse(expires) > service.now().getTime())
    }
    const end = new Date(service.now().getTime() + 60_000).toISOString()
    const less = narrowed(
      narrowed(token, `time-before ${end}`),
      'extra {"channel": ["edge"], "package_id": null, "acl": null, "store_ids": null}',
    )
    const { expires, limits: left } = await explain(less, by)
    assert.deepEqual([expires, left.channels], [end, ['edge']])
  })

  test('explains a management token, with the current permissions of its account', async () => {
    const by = await curious()
    const carol = await addManager(service, 'brand-manager acme')
    const token = await managementToken(service, carol)
    const less = narrowed(token, 'manage {"read_only":true}')
    const reading = [
      { permission: 'devices:read', brands: ['acme'] },
      { permission: 'models:read', brands: ['acme'] },
    ]
    const explained = await explain(less, by)
    assert.deepEqual(
      [explained.kind, explained.accepted, explained.username, explained.limits, explained.may],
      ['management-token', true, carol.username, null, reading],
    )
    assert.ok((await explain(token, by)).may.length > 3)
    await giveRoles(service, carol, 'operator')
    assert.deepEqual((await explain(less, by)).may, reading)
  })

  test('Guarantee: explaining a token does not use it, and stores nothing', async () => {
    const by = await curious()
    const bob = await addPerson(service)
    const carol = await addManager(service, 'viewer acme')
    const root = await call(service, 'POST', '/api/management/v1/tokens/root', { body: {} })
    const unused: readonly (readonly [Account, string, string])[] = [
      [bob, await getRoot(service), 'developer-root'],
      [carol, root.body.macaroon, 'management-root'],
    ]
    const count = async () => {
      const { query } = service.installation.database
      const tables = ['token_session', 'audit_entry', 'idempotent_request', 'account'] as const
      return Promise.all(
        tables.map(async (table) => (await query.selectFrom(table).selectAll().execute()).length),
      )
    }
    const before = await count()
    for (const [account, text, kind] of unused) {
      const slice = await dischargeFor(service, text, account)
      const explained = await explain(encodeBase64Url(encodeBinary(...slice)), by)
      assert.deepEqual([explained.kind, explained.accepted], [kind, true])
    }
    const { status } = await manage(service, by, 'POST', '/me/tokens/explain', {
      body: { token: 'x' },
      headers: { 'idempotency-key': 'a-key-of-16-characters' },
    })
    assert.equal(status, 200)
    assert.deepEqual(await count(), before)
  })

  test('explains why a token is refused, in the words of the refusal', async () => {
    const by = await curious()
    const bob = await addPerson(service)
    const token = await logIn(service, bob)
    const old = narrowed(token, 'time-before 2020-01-01T00:00:00Z')
    const refused = async (text: string) => {
      const { kind, accepted, refusal, ...rest } = await explain(text, by)
      assert.deepEqual([accepted, rest], [false, NOTHING])
      return { kind, ...refusal }
    }
    assert.match((await refused(old)).message, /expired at 2020-01-01/)
    const unknown = await refused(narrowed(token, 'planet mars'))
    assert.deepEqual([unknown.kind, unknown.code], ['developer-token', 'macaroon-caveat-unknown'])
    const forged = macaroonOf(token)
    const bytes = encodeBase64Url(encodeBinary({ ...forged, signature: Buffer.alloc(32, 1) }))
    assert.match((await refused(bytes)).message, /does not verify/)
    await call(service, 'POST', '/api/v2/tokens/revoke', {
      headers: { authorization: `Macaroon ${token}` },
      body: { 'session-id': sessionOf(token) },
    })
    assert.match((await refused(token)).message, new RegExp(`revoked at .* by ${bob.username}`))
    const session = encodeBase64Url(
      encodeBinary(mint(await service.installation.keyring.mintId('device-session'))),
    )
    const { kind, message } = await refused(session)
    assert.deepEqual([kind, /a device session/.test(message)], ['device-session', true])
  })

  test('refuses a macaroon of another service like nonsense, but only nonsense is unreadable', async () => {
    const by = await curious()
    const foreign = encodeBase64Url(
      encodeBinary(mint({ id: Buffer.from('theirs'), rootKey: Buffer.alloc(32) })),
    )
    const [theirs, rubbish] = [await explain(foreign, by), await explain('rubbish', by)]
    assert.match(theirs.refusal.message, /was not issued by this service/)
    assert.match(rubbish.refusal.message, /malformed/)
    const same = ({ refusal: { message: _, ...refusal }, ...rest }: typeof theirs) => ({ ...rest, refusal })
    assert.deepEqual(same(theirs), same(rubbish))
    assert.deepEqual(same(rubbish), {
      ...{ kind: null, accepted: false, ...NOTHING },
      refusal: { code: 'macaroon-authorization-required' },
    })
  })

  test('refuses a string that is too long before it is read', async () => {
    const by = await curious()
    const asked = (token: unknown) => manage(service, by, 'POST', '/me/tokens/explain', { body: { token } })
    assert.equal(refusalOf(await asked('x'.repeat(61_441))).code, 'invalid-field')
    assert.equal((await asked('x'.repeat(61_440))).status, 200)
    assert.equal(refusalOf(await asked('')).code, 'invalid-field')
    assert.equal(refusalOf(await asked(undefined)).code, 'invalid-request')
    const { status } = await manage(service, by, 'POST', '/me/tokens/explain', {
      ...{ body: { token: 'x' }, query: '?dry_run=true' },
    })
    assert.equal(status, 400)
  })
})
