/** Tests the caller's own CI rules in the management API. On both databases. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managementToken, managerToken } from '../support/managers.ts'
import { GITHUB, GITLAB, givenIssuer, givenSession } from '../support/rules.ts'
import { addPerson, refusalOf, testService } from '../support/service.ts'

const CLAIMS = {
  ...{ iss: GITHUB, repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' },
  event_name: 'push',
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let ada: Account
  let token: string

  const add = (name: string, account: string) =>
    addRule(
      {
        ...{ maker: { authority: deciding() }, name, issuer: GITHUB, account },
        ...{ packages: [{ name: 'hello' }], grants: { permissions: ['package_upload'] } },
        match: { repository_id: '74', repository_owner_id: '65', ref: { glob: 'refs/heads/*' } },
      },
      { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
    )

  before(async () => {
    const { database } = service.installation
    await givenIssuer(database, GITHUB, 'github')
    await givenIssuer(database, GITLAB, 'gitlab', { audience: 'https://other.example' })
    ada = await addPerson(service)
    token = await managementToken(service, ada)
    await add('b-rule', ada.username)
    await add('a-rule', ada.username)
    await add('of-another', (await addPerson(service)).username)
  })
  const ask = (method: 'GET' | 'POST', path: string, more: object = {}) =>
    manage(service, token, method, path, more)

  test('lists the issuers, with what a rule must match', async () => {
    const { status, body } = await ask('GET', '/issuers')
    assert.equal(status, 200)
    assert.deepEqual(body.issuers, [
      {
        ...{ url: GITLAB, kind: 'gitlab', audience: 'https://other.example', ids: ['project_id'] },
        one_of: ['ref_path', 'ref_protected', 'environment'],
      },
      {
        ...{ url: GITHUB, kind: 'github', audience: service.baseUrl },
        ids: ['repository_id', 'repository_owner_id'],
        one_of: ['environment', 'workflow_ref', 'job_workflow_ref', 'ref'],
      },
    ])
  })

  test('lists my rules by name and page by page, and shows one with its warnings', async () => {
    const first = (await ask('GET', '/me/publishers', { query: '?limit=1' })).body
    const second = (await ask('GET', '/me/publishers', { query: `?limit=1&cursor=${first.next}` })).body
    assert.equal(second.next, null)
    assert.deepEqual(
      [...first.publishers, ...second.publishers].map(({ name }) => name),
      ['a-rule', 'b-rule'],
    )
    const [rule] = first.publishers
    assert.deepEqual(
      [
        ...[rule.account, rule.issuer, rule.kind, rule.permissions, rule.channels],
        ...[rule.lifetime_seconds, rule.disuse],
      ],
      [ada.username, GITHUB, 'github', ['package_upload'], null, 900, 'never-matched'],
    )
    assert.deepEqual(rule.match.ref, { glob: 'refs/heads/*' })
    const one = await ask('GET', '/me/publishers/a-rule')
    assert.deepEqual(one.body, { ...rule, warnings: [] })
    assert.match(one.headers.get('etag') ?? '', /^"/)
  })

  test("Guarantee: another user's rule answers as one that does not exist", async () => {
    const operator = await managerToken(service, 'operator')
    for (const [method, path, body] of [
      ['GET', '/me/publishers/of-another', undefined],
      ['POST', '/me/publishers/of-another/remove', {}],
      ['POST', '/me/publishers/of-another/test', { claims: CLAIMS }],
    ] as const) {
      for (const by of [token, operator]) {
        const theirs = await manage(service, by, method, path, { body })
        const absent = await manage(service, by, method, path.replace('of-another', 'of-none'), { body })
        assert.deepEqual([theirs.status, refusalOf(theirs).code], [404, 'no-such-record'], path)
        assert.equal(refusalOf(theirs).message.replace('of-another', 'of-none'), refusalOf(absent).message)
      }
    }
    assert.ok(await service.installation.rules.find('of-another'))
    for (const name of ['A%00', 'x'.repeat(300), '%F0%9F%A6%84']) {
      assert.equal((await ask('GET', `/me/publishers/${name}`)).status, 404, name)
    }
  })

  test('compares a rule with claims, or with an ID token whose signature is not checked', async () => {
    const at = Math.floor(service.now().getTime() / 1000)
    const claims = { ...CLAIMS, aud: service.baseUrl, iat: at, exp: at + 300 }
    const test = async (body: object) => ask('POST', '/me/publishers/a-rule/test', { body })
    const fits = await test({ claims })
    assert.deepEqual([fits.status, fits.body.holds, fits.body.rule], [200, true, 'a-rule'])
    const other = await test({ claims: { ...claims, event_name: 'pull_request' } })
    assert.equal(other.body.holds, false)
    assert.deepEqual(
      other.body.lines
        .filter(({ holds }: { holds: boolean }) => !holds)
        .map(({ claim }: { claim: string }) => claim),
      ['event_name'],
    )
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const idToken = `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}`
    assert.equal((await test({ id_token: idToken })).body.holds, true)
    for (const body of [
      { id_token: 'a.b' },
      { id_token: 'x'.repeat(20_000) },
      {},
      { claims, id_token: idToken },
    ]) {
      assert.equal((await test(body)).status, 400, JSON.stringify(body).slice(0, 40))
    }
  })

  test('removes a rule: as a dry run, with its version, and once; revokes its sessions', async () => {
    const { database, audit } = service.installation
    const session = await givenSession(database, 'b-rule')
    const remove = (more: object = {}) => ask('POST', '/me/publishers/b-rule/remove', { body: {}, ...more })
    const tried = await remove({ query: '?dry_run=true' })
    assert.deepEqual([tried.status, tried.body.revoked], [200, 1])
    const mismatch = await remove({ headers: { 'if-match': '"another"' } })
    assert.deepEqual([mismatch.status, refusalOf(mismatch).code], [412, 'version-mismatch'])
    assert.ok(await service.installation.rules.find('b-rule'))
    const etag = (await ask('GET', '/me/publishers/b-rule')).headers.get('etag') ?? assert.fail()
    const removed = await remove({ headers: { 'if-match': etag } })
    assert.deepEqual([removed.status, removed.body.name, removed.body.revoked], [200, 'b-rule', 1])
    assert.equal((await remove()).status, 404)
    const row = await database.query
      .selectFrom('token_session')
      .select(['revoked_by', 'revoked_at'])
      .where('session_id', '=', session)
      .executeTakeFirst()
    assert.deepEqual([row?.revoked_by, row?.revoked_at === null], [ada.username, false])
    const [entry] = await audit.list({ action: 'publisher.remove' }, { limit: 1 })
    assert.deepEqual([entry?.actor, entry?.subject], [`account:${ada.username}`, 'b-rule'])
  })
})
