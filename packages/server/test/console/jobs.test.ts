/** The job pages: their progress, the outcome of their records, and stopping them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import {
  browserWith,
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  nextPage,
  textOf,
} from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, withAcme } from '../support/devices.ts'
import { addManager, addOperator, manage, managementToken } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const REFRESH = /<meta http-equiv="refresh"/

eachDatabase((_kind, _open, fresh) => {
  describe('the job pages', () => {
    const service = testService(fresh)
    let maker: { readonly browser: ConsoleBrowser; readonly token: string; readonly username: string }
    let operator: ConsoleBrowser
    let devices: readonly string[]
    before(async () => {
      await withAcme(service.installation)
      await addAcmeModel(service.installation, 'lot')
      const account = await addManager(service, 'brand-manager acme-brand')
      const token = await managementToken(service, account)
      maker = { browser: await consoleOf(service, account), token, username: account.username }
      operator = await consoleOf(service, await addOperator(service))
      devices = await imported(150)
    })
    const run = () => runJobs(async () => true, service.installation)
    const api = (method: 'GET' | 'POST', path: string, body?: unknown, query = '') =>
      manage(service, maker.token, method, path, { body, query })
    const make = async (body: object, query = ''): Promise<string> => {
      const { status, body: job } = await api('POST', '/jobs', body, query)
      assert.equal(status, 202, JSON.stringify(job))
      return job.id
    }
    const put = async (id: string, bytes: string) => {
      const headers = { authorization: `Macaroon ${maker.token}`, 'content-type': 'text/csv' }
      const url = `${service.baseUrl}/api/management/v1/jobs/${id}/parts/1`
      assert.equal((await fetch(url, { method: 'PUT', headers, body: bytes })).status, 200)
    }
    const rows = (count: number) =>
      `brand_id,model,serial,device_key_id\n${Array.from(
        { length: count },
        (_, index) => `acme-brand,lot,J-${index},${Buffer.alloc(48, `key ${index}`).toString('base64url')}\n`,
      ).join('')}`
    const FILE = { kind: 'devices.import', format: 'csv', parts: 1 }
    const importing = async (text: string, query = '') => {
      const id = await make(FILE, query)
      await put(id, text)
      assert.equal((await api('POST', `/jobs/${id}/start`, {})).status, 200)
      return id
    }
    const imported = async (count: number): Promise<readonly string[]> => {
      await importing(rows(count))
      await run()
      const found = await service.installation.devices.list({ model: 'lot', limit: 1000 })
      assert.equal(found.length, count)
      return found.map(({ id }) => id)
    }
    const stateOf = async (id: string) => (await api('GET', `/jobs/${id}`)).body.state
    /** These devices are not pending, so each of them is refused. */
    const rejecting = (ids: readonly string[]) => make({ kind: 'devices.reject', ids, reason: 'a test' })

    test('an empty list explains what a job is, and how to begin', async () => {
      const browser = await consoleAs(service, 'viewer')
      const page = await browser.get('/console/jobs')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /No jobs yet\. .*ratafia devices approve/)
      assert.match(page.text, /<a class="button primary" href="\/console\/devices">/)
    })

    test('users see their own jobs; an operator sees all, with their authors', async () => {
      const id = await rejecting(devices.slice(0, 3))
      const mine = await maker.browser.get('/console/jobs')
      assert.match(textOf(mine), /Device rejection ◌ queued 0 of 3/)
      assert.doesNotMatch(mine.text, /<th[^>]*>By</)
      const all = await operator.get('/console/jobs')
      assert.match(textOf(all), new RegExp(`0 of 3 ${maker.username}`))
      await run()
      assert.match(textOf(await maker.browser.get('/console/jobs')), /▲ done 3 of 3 · 3 refused/)
      const other = await consoleAs(service, 'brand-manager acme-brand')
      for (const path of [`/console/jobs/${id}`, `/console/jobs/${id}/cancel`, '/console/jobs/nothing']) {
        const page = await other.get(path)
        assert.equal(page.status, 404, path)
        assert.match(textOf(page), /There is no job "/)
      }
    })

    test('the page of a queued or running job reloads unless updates are paused; that of a finished job does not', async () => {
      const id = await rejecting(devices.slice(0, 2))
      const { browser } = maker
      const waiting = await browser.get(`/console/jobs/${id}`)
      assert.match(waiting.text, REFRESH)
      assert.match(waiting.text, /<progress aria-label="Progress" value="0" max="2">/)
      const still = await browser.get(`/console/jobs/${id}?still=true`)
      assert.doesNotMatch(still.text, REFRESH)
      assert.match(still.text, new RegExp(`href="/console/jobs/${id}">Resume updates`))
      assert.doesNotMatch(still.text, /Clear filters/)
      await run()
      const ended = await browser.get(`/console/jobs/${id}`)
      assert.doesNotMatch(ended.text, REFRESH)
      assert.doesNotMatch(ended.text, /\/cancel"/)
      assert.match(textOf(ended), /2 of 2 · 2 refused/)
    })

    test('estimates the remaining time of a job from its speed', async () => {
      const id = await rejecting(devices.slice(0, 10))
      const { query } = service.installation.database
      const started = service.now().getTime() - 30_000
      await query
        .updateTable('job')
        .set({ state: 'running', started_at: started, refused: 5 })
        .where('id', '=', id)
        .execute()
      assert.match(
        textOf(await maker.browser.get(`/console/jobs/${id}`)),
        /5 of 10 · 5 refused · about 3\d s/,
      )
      await query.updateTable('job').set({ state: 'queued', refused: 0 }).where('id', '=', id).execute()
      await run()
    })

    test('shows the outcome of each record; refused ones can be filtered, in pages, and show why', async () => {
      const id = await rejecting(devices)
      await run()
      const { browser } = maker
      const page = await browser.get(`/console/jobs/${id}?outcome=refused`)
      assert.match(page.text, /\/console\/devices\/[\s\S]*state-conflict/)
      const second = await nextPage(browser, page)
      assert.match(textOf(second), /50 on this page/)
      assert.match(second.text, /outcome=refused/)
      const none = await browser.get(`/console/jobs/${id}?outcome=unchanged`)
      assert.match(textOf(none), /Nothing matches these filters: outcome: unchanged/)
      const wrong = await browser.get(`/console/jobs/${id}?outcome=nonsense`)
      assert.equal(wrong.status, 400)
      const csv = await browser.get(`/console/jobs/${id}/items/export?outcome=refused&format=csv`)
      assert.match(csv.headers.get('content-disposition') ?? '', /attachment; filename="job\.csv"/)
      assert.equal(csv.text.trim().split('\n').length, 151)
      const lines = await browser.get(`/console/jobs/${id}/items/export?format=ndjson`)
      assert.equal(JSON.parse(lines.text.split('\n')[0] ?? '').code, 'state-conflict')
    })

    test('stops a job once', async () => {
      const id = await rejecting(devices.slice(0, 4))
      const { browser } = maker
      const action = `/console/jobs/${id}/cancel`
      const page = await browser.get(action)
      assert.match(textOf(page), /0 of 4 records are decided and stay so/)
      const done = await browser.submit(page, action)
      assert.deepEqual([done.status, done.location], [303, `/console/jobs/${id}`])
      assert.equal(await stateOf(id), 'cancelled')
      const again = await browser.submit(page, action)
      assert.equal(again.status, 303)
      const shown = await browser.get(`/console/jobs/${id}`)
      assert.match(textOf(shown), /Job cancelled\..*Cancelled by/)
      assert.match(textOf(await browser.get(action)), /The job has finished\. There is nothing to cancel/)
      const late = await browser.submit(page, action, { once: 'y'.repeat(22) })
      assert.equal(late.status, 303)
      assert.match(textOf(await browser.get(`/console/jobs/${id}`)), /The job had finished already/)
      const entries = await service.installation.audit.list({ action: 'job.end', subject: id }, { limit: 10 })
      assert.equal(entries.length, 1)
      assert.match(entries[0]?.details ?? '', /"via":"console"/)
    })

    test('a job that waits for its file shows what is missing, and the login that created it can start it', async () => {
      const id = await make(FILE)
      const page = await maker.browser.get(`/console/jobs/${id}`)
      assert.match(textOf(page), /waits for its file, which has 1 part\. /)
      assert.doesNotMatch(page.text, /\/start"/)
      assert.doesNotMatch(page.text, REFRESH)
      await put(id, rows(1))
      // This is another login of the same account. The API lets only the login that created a job start it.
      const other = await maker.browser.get(`/console/jobs/${id}`)
      assert.match(textOf(other), /Only the login that created this job can send its file and start it/)
      const own = browserWith(service, new Map([['ratafia-console', maker.token]]))
      const whole = await own.get(`/console/jobs/${id}`)
      assert.match(whole.text, new RegExp(`href="/console/jobs/${id}/start"`))
      assert.equal(await stateOf(id), 'uploading')
      const form = await own.get(`/console/jobs/${id}/start`)
      assert.match(textOf(form), /the whole file is imported, or nothing/)
      assert.equal((await own.submit(form, `/console/jobs/${id}/start`)).status, 303)
      assert.equal(await stateOf(id), 'queued')
      await run()
      const done = await own.get(`/console/jobs/${id}`)
      assert.match(textOf(done), /File imported\. Devices in the file 1 Added 0/)
      const late = await own.submit(form, `/console/jobs/${id}/start`, { once: 'z'.repeat(22) })
      assert.equal(late.status, 422)
      const over = await own.get(`/console/jobs/${id}/start`)
      assert.match(textOf(over), /The job is not waiting to be started/)
      assert.doesNotMatch(over.text, /action="[^"]*\/start"/)
    })

    test('a refused import shows its errors with their places, and a dry run is marked', async () => {
      const id = await importing(`${rows(1)}acme-brand,lot,X,short\nacme-brand,lot,"<b>x</b>",short\n`)
      await run()
      const page = await maker.browser.get(`/console/jobs/${id}`)
      assert.match(textOf(page), /refused: 2 problems\. Nothing was imported/)
      assert.match(textOf(page), /line 3 device_key_id "device_key_id" is not the id of a key/)
      const tried = await importing(rows(2), '?dry_run=true')
      await run()
      const shown = await maker.browser.get(`/console/jobs/${tried}`)
      assert.match(textOf(shown), /This job is a dry run:.*It would have these results/)
      assert.match(textOf(await maker.browser.get('/console/jobs')), /dry run/)
    })
  })
})
