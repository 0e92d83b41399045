/** Tests the audit log in the management API: reads and exports with permission. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { auditPages } from '../../src/audit/export.ts'
import { listAudit } from '../../src/audit/list.ts'
import { deciding } from '../support/authorities.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { addManager, everyPage, manage, managementToken, managerToken } from '../support/managers.ts'
import { bearing, logIn, refusalOf, testService } from '../support/service.ts'

const EXPORT = '/api/management/v1/audit/export'
/** Compressed answers are so short that no reader would be slow. */
const PLAIN = { 'accept-encoding': 'identity' }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let token: string
  /** Adds entries by `operator` about one subject, alternating between two kinds. */
  const record = async (subject: string, count: number, details = {}) => {
    for (let index = 0; index < count; index++) {
      const action = index % 2 === 0 ? 'account.enable' : 'account.disable'
      await byOperator(service.installation)((on) => on.record({ action, subject, details }))
    }
  }

  before(async () => {
    token = await managerToken(service, 'auditor')
  })

  const audit = (query = '', by = token) => manage(service, by, 'GET', '/audit', { query })
  const download = (query = '', headers: Record<string, string> = {}, by = token) =>
    fetch(`${service.baseUrl}${EXPORT}${query}`, { headers: { ...bearing(by), ...headers } })
  const exports = async () => service.installation.audit.list({ action: 'audit.export' }, { limit: 100 })

  test('lists entries newest first, in pages, by every filter', async () => {
    await record('listed', 5, { why: 'a test' })
    const { status, body } = await audit('?subject=listed')
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.next, null)
    const [newest] = body.entries
    assert.deepEqual(
      [newest.actor, newest.action, newest.subject, newest.details],
      ['operator', 'account.enable', 'listed', { why: 'a test' }],
    )
    const ids = body.entries.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ids.toSorted().reverse())
    const paged = await everyPage(service, token, '/audit', { field: 'entries', query: '&subject=listed' })
    assert.deepEqual(paged, body.entries)
    const count = async (query: string) => (await audit(query)).body.entries.length
    assert.equal(await count('?subject=listed&action=account.enable'), 3)
    assert.equal(await count('?subject=listed&action=account.enable&actor=operator'), 3)
    assert.equal(await count('?subject=listed&actor=service'), 0)
    assert.equal(await count(`?subject=listed&before=${ids[1]}`), 3)
    assert.equal(await count('?subject=listed&since=2050-01-01T00:00:00Z'), 0)
    assert.equal(await count('?subject=listed&until=2050-01-01T00:00:00Z'), 5)
    const next = (await audit('?subject=listed&limit=2')).body.next
    for (const query of [
      ...[`?subject=other&limit=2&cursor=${next}`, '?action=account.paint', '?action=x', '?before=x'],
      ...['?since=2026-02-30T00:00:00Z', '?since=yesterday', '?limit=1001', '?colour=red', '?subject=%00'],
      ...[`?before=${'-'.repeat(36)}`, '?subject=a&subject=b'],
    ]) {
      assert.equal((await audit(query)).status, 400, query)
    }
  })

  test('Guarantee: a page reads a bounded number of entries, and the list misses none', async () => {
    await record('bounded', 9)
    const filter = { subject: 'bounded', action: 'account.disable', actor: 'operator' }
    const authority = deciding()
    const found: string[] = []
    let short = 0
    for (let from: Awaited<ReturnType<typeof listAudit>>['next']; ; ) {
      const listing = { ...filter, authority, before: from, limit: 100 }
      const page = await listAudit(listing, { ...service.installation, mostRows: 2 })
      found.push(...page.entries.map(({ id }) => id))
      if (page.examined !== undefined) short++
      from = page.next
      if (from === undefined) break
    }
    assert.equal(found.length, 4)
    assert.ok(short > 2)
    const exported: unknown[] = []
    for await (const rows of auditPages({ filter, authority }, { ...service.installation, mostRows: 2 })) {
      exported.push(...rows.map(({ id }) => id))
    }
    assert.deepEqual(exported, found.toReversed())
  })

  test('an export has every earlier entry, oldest first, and is itself an entry', async () => {
    await record('exported', 3, { text: 'line\nbreak' })
    const before = (await exports()).length
    const answer = await download('?subject=exported')
    assert.deepEqual(
      ['content-type', 'content-disposition', 'cache-control', 'content-length'].map((one) =>
        answer.headers.get(one),
      ),
      ['application/x-ndjson', 'attachment; filename="audit.jsonl"', 'no-store', null],
    )
    const lines = (await answer.text()).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).details),
      Array.from({ length: 3 }, () => '{"text":"line\\nbreak"}'),
    )
    const all = (await (await download()).text()).trimEnd().split('\n')
    const ids = all.map((line) => JSON.parse(line).id)
    assert.deepEqual(ids, ids.toSorted())
    // The second export has the first one, but not itself.
    const actions = all.map((line) => JSON.parse(line).action)
    assert.equal(actions.filter((action) => action === 'audit.export').length, before + 1)
    const [newest, first] = await exports()
    assert.equal((await exports()).length, before + 2)
    assert.match(newest?.actor ?? '', /^account:person-/)
    const details = JSON.parse(first?.details ?? '')
    assert.deepEqual([details.subject, details.format, details.via], ['exported', 'ndjson', 'api'])
  })

  test('exports a log of several pages completely, in CSV and compressed', async () => {
    await record('many', 1_200)
    const csv = await (await download('?subject=many&format=csv')).text()
    const [head, ...rows] = csv.trimEnd().split('\n')
    assert.equal(head, 'seq,id,at,actor,source,action,subject,details,previous_hash,hash')
    assert.equal(rows.length, 1_200)
    // Read as bytes, because fetch would decompress it.
    const { request } = await import('node:http')
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const headers = { ...bearing(token), 'accept-encoding': 'br, gzip;q=0.5' }
      request(`${service.baseUrl}${EXPORT}?subject=many&format=csv`, { headers }, (response) => {
        assert.equal(response.headers['content-encoding'], 'gzip')
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks)))
      })
        .on('error', reject)
        .end()
    })
    assert.equal(gunzipSync(bytes).toString(), csv)
    const refused = await download('?subject=many', { 'accept-encoding': 'gzip;q=0' })
    assert.equal(refused.headers.get('content-encoding'), null)
    await refused.text()
  })

  test('Guarantee: no cell of a CSV file is a formula', async () => {
    for (const subject of ['=1+1', '+1', '-1+1', '@A1', "'=1", '\t=1']) {
      await byOperator(service.installation)((on) => on.record({ action: 'agent.add', subject }))
    }
    // Entries of the same millisecond as the export are not in it.
    await sleep(5)
    const csv = await (await download('?action=agent.add&format=csv')).text()
    for (const cell of ["'=1+1", "'+1", "'-1+1", "'@A1", "''=1"]) assert.ok(csv.includes(`,${cell},`), cell)
    assert.doesNotMatch(csv, /,"?[=+@\t]/)
  })

  test('Guarantee: callers without the permission cannot read the log, and a refusal is not an export', async () => {
    const before = (await exports()).length
    for (const roles of [['viewer'], ['brand-manager acme'], ['account-manager'], ['brand-manager']]) {
      const other = await managerToken(service, ...roles)
      assert.equal(refusalOf(await audit('', other)).code, 'permission-denied', roles.join())
      const answer = await download('', {}, other)
      assert.equal(answer.status, 403)
      await answer.text()
    }
    const developer = await logIn(service, await addManager(service, 'auditor'))
    assert.equal((await audit('', developer)).status, 401)
    for (const query of [
      '?action=account.paint',
      '?format=xlsx',
      '?limit=1',
      '?since=2026-02-30T00:00:00Z',
    ]) {
      const answer = await download(query)
      assert.equal(answer.status, 400, query)
      await answer.text()
    }
    const head = await fetch(`${service.baseUrl}${EXPORT}`, { method: 'HEAD', headers: bearing(token) })
    assert.deepEqual([head.status, head.headers.get('allow')], [405, 'GET'])
    assert.equal((await exports()).length, before)
    const limited = await managementToken(service, await addManager(service, 'operator'), {
      brands: ['acme'],
    })
    assert.equal(refusalOf(await audit('', limited)).code, 'permission-denied')
  })

  test('Guarantee: an export that cannot continue is a broken transfer, and never a short file', async (t) => {
    const { audit: store } = service.installation
    const { page } = store
    const broken = async (headers: Record<string, string>) => {
      const begun = Promise.withResolvers<void>()
      let asked = 0
      t.mock.method(store, 'page', async (...asking: Parameters<typeof page>) => {
        if (++asked === 1) return page(...asking)
        await begun.promise
        throw new Error('the database went away')
      })
      const answer = await download('?subject=many', headers)
      begun.resolve()
      assert.equal(answer.status, 200)
      await assert.rejects(answer.text(), { name: 'TypeError' })
      t.mock.restoreAll()
    }
    await broken({})
    await broken({ 'accept-encoding': 'gzip' })
    t.mock.method(store, 'page', async () => {
      throw new Error('the database went away')
    })
    // Nothing was sent yet, so this is a refusal like any other.
    for (const headers of [{ 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip' }]) {
      const answer = await download('', headers)
      assert.equal(answer.status, 500)
      assert.match(await answer.text(), /"internal-error"/)
      assert.equal(answer.headers.get('content-disposition'), null)
    }
    t.mock.restoreAll()
    assert.equal((await download('?subject=listed')).status, 200)
  })

  test('Guarantee: an export is read only as fast as its reader takes it, and stops when they leave', async (t) => {
    const { audit: store } = service.installation
    const [entry] = await store.list({}, { limit: 1 })
    assert.ok(entry)
    // An endless log, in pages of four megabytes.
    const full = { ...entry, details: JSON.stringify({ text: 'x'.repeat(4_000) }) }
    const page = Array.from({ length: 1_000 }, () => full)
    let asked = 0
    t.mock.method(store, 'page', async () => {
      asked++
      return page
    })
    const leaving = new AbortController()
    const { signal } = leaving
    const headers = { ...bearing(token), ...PLAIN }
    const answer = await fetch(`${service.baseUrl}${EXPORT}`, { headers, signal })
    assert.equal(answer.status, 200)
    await sleep(1_000)
    const untaken = asked
    // The data that fits into the connection and both its ends.
    assert.ok(untaken <= 8, `${untaken} pages were read that the reader did not take`)
    leaving.abort()
    await sleep(300)
    const left = asked
    await sleep(300)
    assert.equal(asked, left)
    assert.ok(left <= untaken + 3)
    t.mock.restoreAll()
  })

  test('Guarantee: an account can run two exports at a time; a reader who leaves frees a place', async () => {
    // Several pages, each more than a connection holds ahead of its reader.
    await byOperator(service.installation)(async (on) => {
      const details = { text: 'x'.repeat(8_000) }
      for (let index = 0; index < 3_000; index++) {
        await on.record({ action: 'account.enable', subject: 'slow', details })
      }
    })
    const leaving = new AbortController()
    // They read only the headers.
    const open = await Promise.all(
      [1, 2].map(() =>
        fetch(`${service.baseUrl}${EXPORT}?subject=slow`, {
          headers: { ...bearing(token), ...PLAIN },
          signal: leaving.signal,
        }),
      ),
    )
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 200],
    )
    const third = await manage(service, token, 'GET', '/audit/export')
    assert.deepEqual([third.status, refusalOf(third).code], [429, 'too-many-requests'])
    // Other accounts have their own places.
    const other = await managerToken(service, 'auditor')
    const theirs = await download('?subject=listed', {}, other)
    assert.equal(theirs.status, 200)
    await theirs.text()
    leaving.abort()
    await eventually('there is room', async () => {
      const answer = await download('?subject=listed')
      await answer.text()
      return answer.status === 200
    })
  })
})
