/**
 * Guarantee: an ID token opens one session, however often, on however many nodes, and with whatever signature
 * it is sent.
 */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { removeRule } from '../../src/ci/rules/managing/remove-rule.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  exchange,
  fieldsOf,
  idTokenOf,
  oauthRefusalOf,
  vectorIssuers,
  withRule,
} from '../support/exchanges.ts'
import { caseNamed, ruleNamed, rulesOf, signCase, signText } from '../support/id-tokens.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { bearing, call, revokeSession, testService, whoami } from '../support/service.ts'

const RULES = ['github-environment', 'circleci', 'github-workflow'] as const
const KEY = 'a-key-of-this-job-1'

type Exchanged = Awaited<ReturnType<typeof exchange>>

function assertUsed(answer: Exchanged): void {
  const { status, error, message } = oauthRefusalOf(answer)
  assert.deepEqual([status, error], [400, 'invalid_grant'])
  assert.match(message, /^The ID token was used before, and each works only once\. Get a new one\./)
}

function assertOneWon(answers: readonly Exchanged[]): void {
  const [granted, refused] = [200, 400].map((status) => answers.filter((one) => one.status === status))
  assert.deepEqual([granted?.length, refused?.length], [1, answers.length - 1])
  for (const one of refused ?? []) assertUsed(one)
}

const claimsOf = (text: string) => JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const issuers = vectorIssuers()
  before(async () => {
    for (const name of RULES) {
      for (const rule of rulesOf(name)) await withRule(service, rule, { issuers })
    }
  })
  const tokenOf = (claims: string, rule: string = claims) => idTokenOf(claims, { service, issuers, rule })
  const send = (text: string, idempotencyKey?: string) =>
    exchange(service, fieldsOf(text), {
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    })
  const signed = (id: string, at = service.now()) =>
    signCase(caseNamed(id), {
      ...{ at, audience: service.baseUrl, issuerUrl: (url) => issuers.at(url, caseNamed(id).rule) },
      unique: crypto.randomUUID(),
    }).text

  for (const id of ['replayed', 'replayed-without-jti']) {
    test(`${id} is refused the second time`, async () => {
      const text = signed(id)
      assert.equal((await send(text)).status, 200)
      assertUsed(await send(text))
    })
  }

  test('replayed-in-leeway is refused: the row outlives the leeway, and the job that removes old rows', async () => {
    const at = new Date(Math.floor(service.now().getTime() / 1000) * 1000)
    service.hold(at)
    try {
      const text = signed('replayed-in-leeway', at)
      assert.equal((await send(text)).status, 200)
      await service.installation.usedTokens.removeExpired(at, 100)
      assertUsed(await send(text))
    } finally {
      service.hold(undefined)
    }
  })

  test('replayed-resigned-text is refused: another signature of the same text is the same token', async () => {
    const text = signed('replayed-resigned-text')
    const again = signText(text.slice(0, text.lastIndexOf('.')), 'ES256')
    assert.notEqual(again, text)
    assert.equal((await send(text)).status, 200)
    assertUsed(await send(again))
  })

  test('raced grants a token to one of fifty concurrent requests', async () => {
    const text = signed('raced')
    assertOneWon(await Promise.all(Array.from({ length: 50 }, () => send(text))))
    const { sessions, entries } = await countsOf(text)
    assert.deepEqual([sessions, entries], [1, 1])
  })

  test('refused-then-fixed is granted once there is a rule', async () => {
    const rule = ruleNamed('github-workflow')
    await removeRule({ name: rule.name, authority: deciding() }, service.installation)
    const text = signed('refused-then-fixed')
    assert.equal(oauthRefusalOf(await send(text)).error, 'invalid_grant')
    await withRule(service, rule, { issuers })
    assert.equal((await send(text)).status, 200)
    assertUsed(await send(text))
  })

  test('a row is kept until the token has expired by every clock, and then removed', async () => {
    const text = tokenOf('circleci')
    assert.equal((await send(text)).status, 200)
    const { usedTokens } = service.installation
    const newest = async () =>
      (await usedRows()).find(({ issuer }) => issuer === claimsOf(text).iss) !== undefined
    // 30 s of leeway, and a minute.
    const until = (claimsOf(text).exp + 90) * 1000
    await usedTokens.removeExpired(new Date(until), 1000)
    assert.ok(await newest())
    assert.ok((await usedTokens.removeExpired(new Date(until + 1), 1000)) > 0)
    assert.ok(!(await newest()))
  })

  suite('with an idempotency key', () => {
    test('the same ID token gets further tokens of the same session', async () => {
      const text = tokenOf('github-environment')
      const first = await send(text, KEY)
      service.advance(60_000)
      const second = await send(text, KEY)
      assert.deepEqual([first.status, second.status], [200, 200], second.text)
      assert.equal(second.body.session_id, first.body.session_id)
      assert.notEqual(second.body.access_token, first.body.access_token)
      // It expires with the session.
      assert.ok(second.body.expires_in <= first.body.expires_in - 60)
      for (const { body } of [first, second]) {
        const { status } = await call(service, 'GET', '/api/v2/tokens/whoami', {
          headers: bearing(body.access_token),
        })
        assert.equal(status, 200)
      }
      const entries = await service.installation.audit.list(
        { action: 'publisher.minted', subject: first.body.session_id },
        { limit: 10 },
      )
      assert.equal(entries.length, 2)
    })

    test('a further token is limited by its own request', async () => {
      const text = tokenOf('github-environment')
      const ask = (lifetime?: string) =>
        exchange(service, fieldsOf(text, { lifetime }), { headers: { 'idempotency-key': KEY } })
      const [whole, short, again] = [await ask(), await ask('60'), await ask()]
      assert.deepEqual([whole.status, short.status, again.status], [200, 200, 200], short.text)
      assert.ok(whole.body.expires_in > 60 && again.body.expires_in > 60)
      assert.ok(short.body.expires_in <= 60, String(short.body.expires_in))
      service.advance(61_000)
      assert.deepEqual(
        [await whoami(service, short.body.access_token), await whoami(service, again.body.access_token)],
        [401, 200],
      )
    })

    test('a different key, a missing key and a later key are refused', async () => {
      const text = tokenOf('github-environment')
      assert.equal((await send(text, KEY)).status, 200)
      assertUsed(await send(text, `${KEY}-`))
      assertUsed(await send(text))
      const other = tokenOf('github-environment')
      assert.equal((await send(other)).status, 200)
      assertUsed(await send(other, KEY))
    })

    test('the ID token counts as used after two minutes', async () => {
      const text = tokenOf('github-environment')
      assert.equal((await send(text, KEY)).status, 200)
      service.advance(121_000)
      assertUsed(await send(text, KEY))
    })

    test('another ID token with the same key opens another session', async () => {
      const [first, second] = [await send(tokenOf('circleci'), KEY), await send(tokenOf('circleci'), KEY)]
      assert.deepEqual([first.status, second.status], [200, 200])
      assert.notEqual(first.body.session_id, second.body.session_id)
    })

    test('the ID token counts as used for another rule, because a session has the grants of its rule', async () => {
      const rule = ruleNamed('github-environment')
      const grants = { permissions: ['package_access'] }
      await withRule(service, rule, { issuers, name: 'another', issuerOf: rule.name, grants })
      const text = tokenOf('github-environment')
      const by = (name: string) =>
        exchange(service, fieldsOf(text, { rule: name }), { headers: { 'idempotency-key': KEY } })
      assert.equal((await by(rule.name)).status, 200)
      assertUsed(await by('another'))
      assert.equal((await by(rule.name)).status, 200)
      await removeRule({ name: 'another', authority: deciding() }, service.installation)
    })

    test('a revoked session is not found again', async () => {
      const text = tokenOf('github-environment')
      const { body } = await send(text, KEY)
      assert.equal((await revokeSession(service, body.access_token, body.session_id)).status, 200)
      assertUsed(await send(text, KEY))
    })

    test('fifty concurrent requests get the same session', async () => {
      const text = tokenOf('github-environment')
      const answers = await Promise.all(Array.from({ length: 50 }, () => send(text, KEY)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.equal(new Set(answers.map(({ body }) => body.session_id)).size, 1)
    })

    test('the key is stored as a hash', async () => {
      await send(tokenOf('github-environment'), 'secret-of-the-job-0')
      assert.ok(!JSON.stringify(await usedRows()).includes('secret-of-the-job'))
    })

    for (const key of ['too-short-a-key', 'x'.repeat(65), 'with a space in it']) {
      test(`${JSON.stringify(key)} is refused`, async () => {
        const { status, error, message } = oauthRefusalOf(await send(tokenOf('circleci'), key))
        assert.deepEqual([status, error], [400, 'invalid_request'])
        assert.match(message, /Idempotency-Key is not 16 to 64 printable ASCII characters/)
      })
    }
  })

  if (kind === 'postgres') {
    test('raced grants a token to one of fifty concurrent requests on two nodes', async () => {
      const target = await fresh.target()
      assert.ok(target.kind === 'postgres')
      // Each accepts tokens for the URL that both share.
      const environment = { RATAFIA_BASE_URL: service.baseUrl, RATAFIA_RATE_LIMITS: 'off' }
      const nodes: TestNode[] = []
      try {
        for (let i = 0; i < 2; i++) nodes.push(await startNode(target, environment))
        // Nodes use the real clock.
        const text = signed('raced', new Date())
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, at) => exchange(nodes[at % 2] ?? service, fieldsOf(text))),
        )
        assertOneWon(answers)
      } finally {
        for (const node of nodes) await node.close()
      }
    })
  }

  const usedRows = () =>
    service.installation.database.query.selectFrom('used_workload_token').selectAll().execute()

  /** Counts the sessions and audit entries of this token. */
  async function countsOf(text: string) {
    const { jti } = claimsOf(text)
    const used = (await usedRows()).filter(({ token_key }) => token_key === jti)
    const ids = used.map(({ session_id }) => session_id)
    const { query } = service.installation.database
    const sessions = await query
      .selectFrom('token_session')
      .select('session_id')
      .where('session_id', 'in', ids)
      .execute()
    const entries = await query
      .selectFrom('audit_entry')
      .select('id')
      .where('action', '=', 'publisher.minted')
      .where('subject', 'in', ids)
      .execute()
    return { sessions: sessions.length, entries: entries.length }
  }
})
