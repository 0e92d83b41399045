/** The audit log pages: entries, filters, exports, the state of the chain, its verification. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newAuditEntryId } from '@ratafia/api'
import { linkEntries } from '../../src/audit/link.ts'
import type { Details } from '../../src/change.ts'
import { insertMany } from '../../src/database/index.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { byOperator } from '../support/changes.ts'
import { type ConsoleBrowser, consoleAs, consoleOf, nextPage, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addOperator } from '../support/managers.ts'
import { testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  describe('the audit log pages', () => {
    const service = testService(fresh)
    let auditor: ConsoleBrowser
    let operator: ConsoleBrowser
    before(async () => {
      auditor = await consoleAs(service, 'auditor')
      operator = await consoleOf(service, await addOperator(service))
    })
    const run = () => runJobs(async () => true, service.installation)
    const link = () => linkEntries(service.installation)
    const record = async (subject: string, count = 1, details: Details = {}) => {
      for (let index = 0; index < count; index++) {
        const action = index % 2 === 0 ? 'account.enable' : 'account.disable'
        await byOperator(service.installation)((on) => on.record({ action, subject, details }))
      }
    }
    const verifications = async () =>
      (await service.installation.audit.list({ action: 'job.add' }, { limit: 100 })).filter(({ details }) =>
        details.includes('audit.verify'),
      )

    test('lists entries newest first, with their details, and has filters in the URL', async () => {
      await record('listed', 3, { why: 'a test', count: 3 })
      const page = await auditor.get('/console/audit')
      assert.equal(page.status, 200)
      assert.match(
        textOf(page),
        /UTC operator account\.enable listed why: a test · count: 3 .* operator account\.disable listed/,
      )
      const filtered = await auditor.get(
        '/console/audit?subject=listed&action=account.disable&actor=operator',
      )
      assert.match(textOf(filtered), /1 on this page|account\.disable listed/)
      assert.doesNotMatch(textOf(filtered), /account\.enable listed/)
      assert.match(filtered.text, /name="subject" value="listed"/)
      const none = await auditor.get('/console/audit?subject=unknown')
      assert.match(textOf(none), /Nothing matches these filters: subject: unknown Clear filters/)
    })

    test('a day in a filter means midnight UTC, an instant stays unchanged, and other strings are refused', async () => {
      await record('timed')
      const on = async (query: string) => textOf(await auditor.get(`/console/audit?subject=timed&${query}`))
      const today = service.now().toISOString().slice(0, 10)
      assert.match(await on(`since=${today}`), /account\.enable timed/)
      assert.match(await on(`until=${today}`), /Nothing matches/)
      const instant = await auditor.get('/console/audit?since=2026-01-02T03:04:05Z')
      assert.match(instant.text, /<input type="text" id="q-since" name="since" value="2026-01-02T03:04:05Z"/)
      for (const query of ['since=yesterday', 'since=2026-02-31', 'action=account.paint', 'before=x']) {
        assert.equal((await auditor.get(`/console/audit?${query}`)).status, 400, query)
      }
    })

    test('a page without matches shows how many entries were searched', async () => {
      const { query } = service.installation.database
      const rows = Array.from({ length: 20_100 }, (_, index) => ({
        ...{ id: newAuditEntryId(service.now()), at: service.now().getTime(), actor: 'service' },
        ...{ source: 'test', action: 'job.add', subject: 'long', details: '{}' },
        // The position is far after the last entry of the chain, which stays unchanged.
        ...{ seq: 1_000_000 + index, previous_hash: '0'.repeat(64), hash: '0'.repeat(64) },
      }))
      await insertMany(query, 'audit_entry', rows).execute()
      const page = await auditor.get('/console/audit?subject=long&actor=operator')
      assert.match(textOf(page), /20,000 records searched, without a match so far\. .* Continue search/)
      assert.match(textOf(await nextPage(auditor, page)), /There are no more records/)
      await query.deleteFrom('audit_entry').where('subject', '=', 'long').execute()
    })

    test('an entry has a page with all its details', async () => {
      await record('shown', 1, {
        text: 'line\nbreak',
        hosts: ['a', 'b'],
        none: null,
        long: 'y'.repeat(1_000),
      })
      const [entry] = await service.installation.audit.list({ subject: 'shown' }, { limit: 1 })
      const page = await auditor.get(`/console/audit/${entry?.id}`)
      assert.equal(page.status, 200)
      assert.match(textOf(page), /text line⟨U\+000A⟩break hosts a, b none null/)
      assert.ok(page.text.includes('y'.repeat(1_000)))
      const list = await auditor.get('/console/audit?subject=shown')
      assert.match(list.text, new RegExp(`href="/console/audit/${entry?.id}"`))
      assert.ok(!list.text.includes('y'.repeat(200)))
      for (const id of [`${entry?.id.slice(0, -4)}ffff`, 'nothing']) {
        assert.equal((await auditor.get(`/console/audit/${id}`)).status, 404, id)
      }
    })

    test('an export contains the filtered entries, and is itself an entry', async () => {
      await record('exported', 3)
      const list = await auditor.get('/console/audit?subject=exported&cursor=')
      const csv = 'href="/console/audit/export?subject=exported&amp;format=csv"'
      assert.ok(list.text.includes(csv), 'no link')
      const saved = await auditor.get('/console/audit/export?subject=exported&format=csv')
      assert.match(saved.headers.get('content-disposition') ?? '', /attachment; filename="audit\.csv"/)
      assert.equal(saved.text.trim().split('\n').length, 4)
      const lines = await auditor.get('/console/audit/export?subject=exported&format=ndjson&since=2026-01-01')
      assert.equal(lines.text.trim().split('\n').length, 3)
      const [entry] = await service.installation.audit.list({ action: 'audit.export' }, { limit: 1 })
      assert.match(entry?.details ?? '', /"via":"console"/)
      assert.equal((await auditor.get('/console/audit/export?format=xml')).status, 400)
    })

    test('shows which entries wait to be linked, the last linked one, and the last verification', async () => {
      await record('waiting', 2)
      const before = textOf(await auditor.get('/console/audit'))
      assert.match(before, /entries wait to be linked/)
      await link()
      const linked = textOf(await auditor.get('/console/audit'))
      assert.match(linked, /Chain Linked up to entry [\d,]+ just now Not verified recently/)
      assert.doesNotMatch(linked, /to be linked/)
    })

    test('starts one job for a verification, whose last intact entry the next one can use', async () => {
      await link()
      const form = await auditor.get('/console/audit/verify')
      assert.match(textOf(form), /A job reads the whole chain/)
      const wrong = await auditor.submit(form, '/console/audit/verify', { expect: '12:short' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /does not identify an entry of the log/)
      assert.match(wrong.text, /name="expect" value="12:short"/)
      assert.match(wrong.text, /<a href="#f-expect">/)
      const fields = { once: 'v'.repeat(22) }
      const made = await auditor.submit(form, '/console/audit/verify', fields)
      const again = await auditor.submit(form, '/console/audit/verify', fields)
      assert.equal(made.status, 303)
      assert.equal(again.location, made.location)
      assert.equal((await verifications()).length, 1)
      await run()
      const job = await auditor.open(made.location ?? '')
      assert.match(textOf(job), /The chain is intact.* Last intact entry \d+:[0-9a-f]{64}/)
      const [, next = ''] = /href="(\/console\/audit\/verify\?expect=[^"]+)"/.exec(job.text) ?? []
      const filled = await auditor.get(next)
      const [, expect = ''] = /name="expect" value="(\d+:[0-9a-f]{64})"/.exec(filled.text) ?? []
      assert.notEqual(expect, '')
      await link()
      const second = await auditor.submit(filled, '/console/audit/verify', { expect })
      await run()
      assert.match(textOf(await auditor.open(second.location ?? '')), /The chain is intact/)
      for (const browser of [auditor, operator]) {
        const { text } = await browser.get('/console/audit')
        assert.match(text, /Last verification: <a href="\/console\/jobs\//)
      }
      const other = await consoleAs(service, 'auditor')
      assert.match((await other.get('/console/audit')).text, /Last verification: <span title=/)
      assert.match(textOf(await other.get('/console/audit')), /Last verification: just now ● intact/)
    })

    test('reports a log that was changed as broken, with the entry', async () => {
      await link()
      const { query } = service.installation.database
      await query.updateTable('audit_entry').set({ subject: 'forged' }).where('seq', '=', 2).execute()
      const { location = '' } = await auditor.fill('/console/audit/verify')
      await run()
      const page = await auditor.open(location)
      assert.match(textOf(page), /The chain is broken at entry 2\. .*its content does not match its hash/)
      // All users who can read the log see it, even if they cannot see the job.
      for (const browser of [auditor, await consoleAs(service, 'auditor')]) {
        const log = textOf(await browser.get('/console/audit'))
        assert.match(log, /Last verification: .*▲ broken at entry 2/)
      }
    })
  })
})
