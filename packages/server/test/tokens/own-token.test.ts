/** A token that a user creates in the console works in every form, as tools present it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { decodeBase64 } from '@ratafia/macaroon'
import type { CredentialForm } from '../../src/credential-forms.ts'
import { makeOwnToken, type OwnToken, type OwnTokenInput } from '../../src/management/own/make-own-token.ts'
import { disableAccount, linkIdentity } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { inConsole, ownCredentialsOf } from '../support/own-credentials.ts'
import { decoded, type Pair, pairHeader, refresh } from '../support/publishers.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  refusalOf,
  sessionIdOf,
  testService,
  whoami,
} from '../support/service.ts'

const DAY = 86_400_000

const textOf = ({ forms }: OwnToken, form: CredentialForm): string =>
  forms.find((one) => one.form === form)?.text ?? assert.fail(form)
const unpacked = (text: string): string => Buffer.from(decodeBase64(text)).toString('utf8')
/** Returns the pair as craft-store reads it. */
const pairOf = (made: OwnToken): Pair => {
  const { t: type, v } = JSON.parse(unpacked(textOf(made, 'snapcraft')))
  assert.equal(type, 'u1-macaroon')
  return { root: v.r, discharge: v.d }
}
const ALL = { permissions: null, channels: null, packages: null, store_ids: null }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_TOKEN_MAX_LIFETIME: '400d' })
  const make = (input: OwnTokenInput) => makeOwnToken(input, ownCredentialsOf(service))
  const asked = async (headers: Record<string, string>, path = '/api/v2/tokens/whoami') => {
    const { status, body } = await call(service, 'GET', path, { headers })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const sessions = async () =>
    (await service.installation.database.query.selectFrom('token_session').select('session_id').execute())
      .length

  test('every form is accepted as its tool presents it, within its limits', async () => {
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    const expires = new Date(service.now().getTime() + 90 * DAY)
    const made = await make({
      authority,
      wanted: {
        ...{
          permissions: ['package_upload', 'package_access', 'package_upload'],
          channels: ['edge', '*/edge'],
        },
        ...{ packages: ['hello'], storeIds: [], expires, description: 'ci: hello edge' },
      },
    })
    const limits = {
      ...{ ...ALL, permissions: ['package_upload', 'package_access'] },
      ...{ channels: ['edge', '*/edge'], packages: ['hello'] },
    }
    const { session } = made
    assert.deepEqual(
      [
        ...[session.username, session.kind, session.description, session.limits],
        ...[session.valid_until, session.opened_from],
      ],
      [ada.username, 'developer', 'ci: hello edge', limits, expires.toISOString(), '192.0.2.7'],
    )
    assert.deepEqual(made.leftOut, [])
    assert.deepEqual(
      made.forms.map(({ form, uses }) => [form, uses.map(({ variable = '' }) => variable).join()]),
      [
        ['snapcraft', 'SNAPCRAFT_STORE_CREDENTIALS,STORE_AUTH'],
        ['onprem', 'UBUNTU_STORE_AUTH,SNAPCRAFT_STORE_CREDENTIALS'],
        ['charmcraft', 'CHARMCRAFT_AUTH'],
        ['raw', 'SNAPCRAFT_ADMIN_MACAROON,'],
        ['env', ''],
      ],
    )
    // snapcraft, craft-store and snapd bind the pair, and use nothing else to log in.
    const pair = pairOf(made)
    const token = textOf(made, 'raw')
    const onprem = JSON.parse(unpacked(textOf(made, 'onprem')))
    assert.deepEqual([onprem.t, onprem.v], ['macaroon', token])
    assert.equal(unpacked(textOf(made, 'charmcraft')), token)
    for (const headers of [
      pairHeader(pair),
      { authorization: `Macaroon ${token}` },
      { authorization: `macaroon ${onprem.v}` },
      { authorization: `Bearer ${unpacked(textOf(made, 'charmcraft'))}` },
    ]) {
      const { account, expires: end, ...given } = await asked(headers)
      assert.deepEqual([account.username, `${end}Z`, given], [ada.username, expires.toISOString(), limits])
      // charmcraft, and snapcraft with an on-premises store, ask the gateway.
      const { channels, permissions } = await asked(headers, '/v1/tokens/whoami')
      assert.deepEqual(
        { channels, permissions },
        { channels: limits.channels, permissions: limits.permissions },
      )
    }
    // The store behind the service asks about the credentials that snapd sends.
    const verified = await call(service, 'POST', '/dev/api/acl/verify/', {
      body: { auth_data: pairHeader(pair) },
    })
    assert.deepEqual([verified.body.allowed, verified.body.refresh_required], [true, false])
    // snapcraft with an on-premises store first exchanges its admin macaroon.
    const offline = await call(service, 'POST', '/v1/tokens/offline/exchange', { body: { macaroon: token } })
    assert.equal(offline.status, 200)
    assert.equal((await asked(bearing(offline.body.macaroon))).account.username, ada.username)
    const exported = Object.fromEntries(
      textOf(made, 'env')
        .split('\n')
        .map((line) => /^export ([A-Z0-9_]+)='(.*)'$/.exec(line)?.slice(1) ?? assert.fail(line)),
    )
    assert.deepEqual(
      [exported['SNAPCRAFT_STORE_CREDENTIALS'], exported['UBUNTU_STORE_AUTH'], exported['CHARMCRAFT_AUTH']],
      [textOf(made, 'snapcraft'), textOf(made, 'onprem'), textOf(made, 'charmcraft')],
    )
    assert.deepEqual(
      [exported['STORE_DASHBOARD_URL'], exported['UBUNTU_ONE_SSO_URL']],
      [service.baseUrl, service.baseUrl],
    )
  })

  test('the pair needs no refresh, and all forms expire with the session', async () => {
    const ada = await addPerson(service)
    const made = await make({ authority: await inConsole(service, ada), wanted: {} })
    const pair = pairOf(made)
    assert.deepEqual(made.session.limits, ALL)
    service.advance(40 * DAY)
    for (const headers of [pairHeader(pair), bearing(textOf(made, 'raw'))]) await asked(headers)
    // A tool that still refreshes gets a discharge that also works.
    const { status, body } = await refresh(service, pair.discharge)
    assert.equal(status, 200, JSON.stringify(body))
    await asked(pairHeader({ root: pair.root, discharge: body.discharge_macaroon }))
    service.advance(330 * DAY)
    for (const headers of [pairHeader(pair), bearing(textOf(made, 'raw'))]) {
      const refused = refusalOf(await call(service, 'GET', '/api/v2/tokens/whoami', { headers }))
      assert.equal(refused.code, 'macaroon-authorization-required')
    }
  })

  test('the session is listed and in the audit log from the start, and revoking it revokes all forms', async () => {
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    const made = await make({ authority, wanted: { channels: ['edge'], description: 'laptop' } })
    const id = made.session.session_id
    const entries = await service.installation.database.query
      .selectFrom('audit_entry')
      .select(['action', 'actor', 'source', 'details'])
      .where('subject', '=', id)
      .execute()
    const [entry = assert.fail(), ...more] = entries
    assert.deepEqual(
      [entry.action, entry.actor, entry.source, more],
      ['token.open', `account:${ada.username}`, '192.0.2.7', []],
    )
    const details = JSON.parse(entry.details)
    assert.deepEqual(
      [details.via, details.session, details.account],
      ['console', authority.manager.sessionId, ada.username],
    )
    const management = await managementToken(service, ada)
    const { body } = await manage(service, management, 'GET', `/me/tokens/${id}`)
    assert.deepEqual(body, made.session)
    await manage(service, management, 'POST', `/me/tokens/${id}/revoke`)
    for (const headers of [pairHeader(pairOf(made)), bearing(textOf(made, 'raw'))]) {
      assert.equal((await call(service, 'GET', '/api/v2/tokens/whoami', { headers })).status, 401)
    }
  })

  test('a token and the one it replaces both work until the chosen expiry', async () => {
    const ada = await addPerson(service)
    const old = await logIn(service, ada)
    const sessionId = sessionIdOf(decoded(old))
    const authority = await inConsole(service, ada)
    const until = new Date(service.now().getTime() + 3_600_000)
    const made = await make({ authority, wanted: {}, replaces: { sessionId, until } })
    assert.equal(await whoami(service, old), 200)
    service.advance(3_600_000)
    assert.equal(await whoami(service, old), 401)
    assert.equal(await whoami(service, textOf(made, 'raw')), 200)
  })

  test('Guarantee: no token is created if the one to replace cannot be replaced', async () => {
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    const theirs = sessionIdOf(decoded(await logIn(service, await addPerson(service))))
    const until = service.now()
    const before = await sessions()
    for (const [sessionId, code] of [
      [theirs, 'no-such-record'],
      [newSessionId(), 'no-such-record'],
      [authority.manager.sessionId, 'invalid-field'],
    ] as const) {
      await assert.rejects(make({ authority, wanted: {}, replaces: { sessionId, until } }), { code })
    }
    assert.equal(await sessions(), before)
    // The caller's own session was not shortened.
    const { validUntil } =
      (await service.installation.tokenSessions.find(authority.manager.sessionId)) ?? assert.fail()
    assert.ok(validUntil > service.now())
  })

  test('Guarantee: only a person who signed in within 15 minutes can create a token', async () => {
    const ada = await addPerson(service)
    const before = await sessions()
    for (const [signedIn, code] of [
      ['agent line', 'person-required'],
      ['', 'person-required'],
      [`browser ${new Date(service.now().getTime() - 15 * 60_000).toISOString()}`, 'recent-sign-in-required'],
    ] as const) {
      const authority = await inConsole(service, ada, { signedIn })
      await assert.rejects(make({ authority, wanted: {} }), { code })
    }
    assert.equal(await sessions(), before + 3)
  })

  test('Guarantee: a revoked session, or one of a disabled account, cannot create a token', async () => {
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    await service.installation.tokenSessions.revoke({
      ...{ id: authority.manager.sessionId, at: service.now(), by: 'operator' },
    })
    const before = await sessions()
    await assert.rejects(make({ authority, wanted: {} }), { message: /session was revoked/ })
    const bob = await addPerson(service)
    const bobs = await inConsole(service, bob)
    await disableAccount(bob.username, service.installation)
    await assert.rejects(make({ authority: bobs, wanted: {} }), { code: 'macaroon-authorization-required' })
    assert.equal(await sessions(), before + 1)
  })

  test('Guarantee: a token created while all sessions are revoked is either revoked or refused', async () => {
    for (let round = 0; round < 4; round++) {
      const ada = await addPerson(service)
      const token = await managementToken(service, ada)
      const authority = await inConsole(service, ada)
      const making = Array.from({ length: 6 }, () =>
        make({ authority, wanted: {} }).catch((error: { code?: string }) => {
          assert.equal(error.code, 'macaroon-authorization-required')
        }),
      )
      const revoking = manage(service, token, 'POST', '/me/tokens/revoke', { body: {} })
      const made = await Promise.all(making)
      assert.equal((await revoking).status, 200)
      for (const one of made) if (one) assert.equal(await whoami(service, textOf(one, 'raw')), 401)
    }
  })

  const REFUSED: readonly (readonly [string, OwnTokenInput['wanted'], string, RegExp])[] = [
    ['a permission that does not exist', { permissions: ['fly'] }, 'body/permissions', /no permission "fly"/],
    [
      'a channel that is not ASCII',
      { channels: ['edge', 'é'] },
      'body/channels',
      /^The channel "é" is not 1 to 128/,
    ],
    ['an empty package', { packages: [''] }, 'body/packages', /^The package "" is not 1 to 128/],
    [
      'too many stores',
      { storeIds: Array.from({ length: 257 }, (_, at) => `${at}`) },
      'body/store_ids',
      /^There are more than 256 store ids/,
    ],
    ['an expiry in the past', { expires: new Date(0) }, 'body/expires', /not in the future/],
    ['an expiry that does not exist', { expires: new Date(Number.NaN) }, 'body/expires', /does not exist/],
    [
      'an expiry that is too late',
      { expires: new Date('2190-01-01') },
      'body/expires',
      /later than this service/,
    ],
    [
      'a description with a control character',
      { description: 'a\u0007' },
      'body/description',
      /control char/,
    ],
    ['a description that is too long', { description: 'x'.repeat(513) }, 'body/description', /more than 512/],
  ]
  for (const [what, wanted, field, message] of REFUSED) {
    test(`refuses ${what}`, async () => {
      const authority = await inConsole(service, await addPerson(service))
      const before = await sessions()
      await assert.rejects(
        make({ authority, wanted }),
        (error: { code: string; message: string; extra: object }) => {
          assert.deepEqual([error.code, error.extra], ['invalid-field', { field }])
          assert.match(error.message, message)
          return true
        },
      )
      assert.equal(await sessions(), before)
    })
  }
})

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  test('resolves packages by the directory, and refuses unknown ones', async () => {
    const id = `${'x'.repeat(31)}Y`
    await service.installation.packages.import([{ name: 'hello', snapId: id }], { replaceAll: true })
    const authority = await inConsole(service, await addPerson(service))
    const deps = ownCredentialsOf(service)
    const made = await makeOwnToken({ authority, wanted: { packages: ['hello', id] } }, deps)
    assert.deepEqual(made.session.limits?.packages, [id])
    await assert.rejects(makeOwnToken({ authority, wanted: { packages: ['hallo'] } }, deps), {
      code: 'package-not-found',
    })
  })
})

const ELSEWHERE = 'http://127.0.0.1:9/candid'

eachDatabase((_kind, _open, fresh) => {
  // The service is never asked, because its key is pinned and no user logs in.
  const service = testService(fresh, {
    RATAFIA_IDENTITY_URL: ELSEWHERE,
    RATAFIA_IDENTITY_PUBLIC_KEY: Buffer.alloc(32, 9).toString('base64'),
  })

  test('with an external identity service, the forms of a password login need an account that it knows', async () => {
    const deps = ownCredentialsOf(service, ELSEWHERE)
    const ada = await addPerson(service)
    const authority = await inConsole(service, ada)
    const without = await makeOwnToken({ authority, wanted: {} }, deps)
    assert.deepEqual(
      [without.forms.map(({ form }) => form), without.leftOut.map(({ form }) => form)],
      [
        ['onprem', 'charmcraft', 'raw'],
        ['snapcraft', 'env'],
      ],
    )
    assert.equal(await whoami(service, textOf(without, 'raw')), 200)
    await linkIdentity(
      { account: ada.username, issuer: ELSEWHERE, subject: 'ada@corp' },
      service.installation,
    )
    const made = await makeOwnToken({ authority, wanted: { channels: ['edge'] } }, deps)
    assert.deepEqual(made.leftOut, [])
    for (const headers of [pairHeader(pairOf(made)), bearing(textOf(made, 'raw'))]) {
      const { status, body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers })
      assert.deepEqual([status, body.account?.username, body.channels], [200, ada.username, ['edge']])
    }
  })
})
