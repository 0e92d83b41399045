/** Tests when and from where tokens were last used: what a node stores in the background, as other nodes show it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { addManager, everyPage, manage, managementToken, managerToken } from '../support/managers.ts'
import { onNode, startNode, type TestNode } from '../support/nodes.ts'
import { call, logIn, refusalOf, sessionOf, whoami } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  let node: TestNode
  let token: string
  before(async () => {
    node = await startNode(await fresh.target())
    token = await managerToken(node, 'auditor')
  })
  after(() => node.close())
  const list = async (query = '', path = '/tokens', by = token) => {
    const { status, body } = await manage(node, by, 'GET', path, { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body.tokens
  }
  const one = async (used: string, query = '') =>
    (await list(query)).find((session: { session_id: string }) => session.session_id === sessionOf(used))

  const onAnother = (work: (other: TestNode) => Promise<void>) => onNode(fresh, work)

  test('shows the use of a developer token, a management token, and one that a store checks', async () => {
    const ada = await addManager(node, 'viewer acme')
    const [developer, asked] = [await logIn(node, ada), await logIn(node, ada)]
    const management = await managementToken(node, ada)
    const unused = await logIn(node, ada)
    const began = new Date().toISOString()
    await onAnother(async (other) => {
      assert.equal(await whoami(other, developer), 200)
      assert.equal((await manage(other, management, 'GET', '/me')).status, 200)
      const body = { auth_data: { authorization: `Macaroon ${asked}` } }
      const answer = await call(other, 'POST', '/dev/api/acl/verify/', { body })
      assert.deepEqual([answer.status, answer.body.allowed], [200, true])
    })
    for (const used of [developer, management, asked]) {
      const { last_used_at: at, last_used_from: from } = await one(used)
      assert.ok(at >= began)
      assert.equal(from, '127.0.0.1')
    }
    const never = await one(unused)
    assert.deepEqual([never.last_used_at, never.last_used_from], [null, null])
  })

  test('unused_since omits sessions that were used or created since', async () => {
    const ada = await addManager(node, 'viewer acme')
    const [used, unused] = [await logIn(node, ada), await logIn(node, ada)]
    const between = new Date().toISOString()
    await onAnother(async (other) => assert.equal(await whoami(other, used), 200))
    const later = await logIn(node, ada)
    const now = new Date().toISOString()
    const has = async (token: string, since: string) =>
      (await one(token, `?unused_since=${since}`)) !== undefined
    assert.deepEqual(
      [await has(used, between), await has(unused, between), await has(later, between)],
      [false, true, false],
    )
    assert.deepEqual(
      [await has(used, now), await has(unused, now), await has(later, now)],
      [true, true, true],
    )
    const mine = await managementToken(node, ada)
    const ids = (await list(`?unused_since=${between}`, '/me/tokens', mine)).map(
      (session: { session_id: string }) => session.session_id,
    )
    assert.deepEqual(ids, [sessionOf(unused)])
    const wrong = await manage(node, token, 'GET', '/tokens', { query: '?unused_since=2026-02-31T00:00:00Z' })
    assert.equal(refusalOf(wrong).code, 'invalid-field')
  })

  test('lists unused sessions page by page', async () => {
    const ada = await addManager(node, 'viewer acme')
    for (let i = 0; i < 3; i++) await logIn(node, ada)
    const query = `&account=${ada.username}&unused_since=${new Date().toISOString()}`
    const found = await everyPage(node, token, '/tokens', { query, limit: 1 })
    assert.equal(new Set(found.map(({ session_id: id }) => id)).size, 3)
  })

  test('the record of a single session does not change when its token is used', async () => {
    const ada = await addManager(node, 'viewer acme')
    const mine = await managementToken(node, ada)
    const developer = await logIn(node, ada)
    const shorten = (until: Date, query = '') => {
      const path = `/me/tokens/${sessionOf(developer)}/shorten`
      return manage(node, mine, 'POST', path, { body: { until: until.toISOString() }, query })
    }
    const until = new Date(Date.now() + 3_600_000)
    const before = await shorten(until)
    await onAnother(async (other) => assert.equal(await whoami(other, developer), 200))
    const after = await shorten(until)
    assert.ok(before.headers.get('etag'))
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
  })
})
