/** The pages of the service's status and of the package directory in the console. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { byOperator } from '../support/changes.ts'
import { type ConsoleAnswer, type ConsoleBrowser, consoleOf, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { addManager, addOperator } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

const IMPORT = '/console/packages/import'

eachDatabase((kind, _open, fresh) => {
  describe('status and packages', () => {
    const service = testService(fresh)
    let auditor: ConsoleBrowser
    let operator: ConsoleBrowser
    before(async () => {
      auditor = await consoleOf(service, await addManager(service, 'auditor'))
      operator = await consoleOf(service, await addOperator(service))
    })

    /** Returns the page once this node receives change notifications, because they can be late on a busy machine. */
    const statusPage = () =>
      eventually('this node receives changes', async () => {
        const page = await auditor.get('/console/status')
        return /Change notifications ● OK/.test(textOf(page)) ? page : undefined
      })

    test('lists parts that need attention first, with advice, and parts that are OK last', async () => {
      const page = await statusPage()
      assert.equal(page.status, 200)
      const text = textOf(page)
      const count = kind === 'sqlite' ? /2 parts need attention/ : /1 part needs attention/
      assert.match(text, count)
      assert.match(text, /Release \d+\.\d+/)
      assert.match(
        text,
        /Periodic work ▲ needs attention No process does the periodic work.*Start the service/,
      )
      const states = [...text.matchAll(/▲ needs attention|✕ not visible from here|● OK/g)].map(String)
      assert.equal(states.length, 17)
      const order = ['▲ needs attention', '✕ not visible from here', '● OK']
      assert.deepEqual(
        states,
        states.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)),
      )
      assert.match(page.text, /<code>ratafia audit verify<\/code>/)
      assert.match(
        page.text,
        /<a href="\/console\/audit\?action=account\.sign-in-link"><strong>Sign-in links/,
      )
    })

    test('shows that nothing needs attention', async () => {
      await service.installation.leases.take('audit', 'test', 60_000)
      await byOperator(service.installation)((on) =>
        on.record({ action: 'database.backup', subject: 'database', details: {} }),
      )
      const page = await statusPage()
      assert.match(textOf(page), /Nothing needs attention\./)
    })

    test('users without the permission learn which roles have it', async () => {
      for (const account of [await addPerson(service), await addManager(service, 'viewer')]) {
        const browser = await consoleOf(service, account)
        for (const path of ['/console/status', '/console/packages', IMPORT]) {
          const page = await browser.get(path)
          assert.equal(page.status, 403, path)
          assert.match(page.text, path === IMPORT ? /operator/ : /auditor/)
        }
      }
    })

    test('an empty directory explains what it is for, and only operators see how to fill it', async () => {
      const page = await operator.get('/console/packages')
      assert.match(textOf(page), /No packages yet\..*ratafia packages import FILE/)
      assert.match(page.text, /<a class="button primary" href="\/console\/packages\/import">/)
      const read = await auditor.get('/console/packages')
      assert.equal(read.status, 200)
      assert.doesNotMatch(read.text, /packages\/import"/)
      assert.equal((await auditor.get(IMPORT)).status, 403)
      const own = await auditor.get('/console/tokens')
      const fields = { do: 'import', format: 'csv', once: 'a'.repeat(22) }
      const sent = await upload(auditor, own, fields, 'name,snap_id\na,b\n')
      assert.equal(sent.status, 403)
    })

    test('validates and imports a file, and replaces the packages only after confirmation', async () => {
      const list = async () => textOf(await operator.get('/console/packages'))
      const form = await operator.get(IMPORT)
      const csv = 'name,snap_id\nhello,id-1\nworld,id-2\n'
      const tried = await upload(operator, form, { do: 'try', format: 'csv' }, csv)
      assert.equal(tried.status, 303, textOf(tried))
      await run()
      assert.match(textOf(await operator.open(tried.location ?? '')), /dry run.*Added 2/)
      assert.match(await list(), /No packages yet/)
      const again = await operator.get(IMPORT)
      const done = await upload(operator, again, { do: 'import', format: 'csv' }, csv)
      await run()
      assert.match(textOf(await operator.open(done.location ?? '')), /File imported\. Imported 2/)
      assert.match(await list(), /hello id-1 world id-2/)

      const one = 'name,snap_id\nhello,id-1\n'
      const replacing = { do: 'import', format: 'csv', replace_all: 'on' }
      const wrong = await upload(operator, await operator.get(IMPORT), { ...replacing, typed: 'yes' }, one)
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Type exactly replace\. Nothing was changed/)
      assert.match(wrong.text, /name="replace_all" value="on" checked/)
      const right = await upload(
        operator,
        await operator.get(IMPORT),
        { ...replacing, typed: 'replace' },
        one,
      )
      assert.equal(right.status, 303)
      await run()
      assert.doesNotMatch(await list(), /world/)
    })

    test('refuses a form without a file, without the confirmation, or with a different format', async () => {
      const missing = await upload(operator, await operator.get(IMPORT), { do: 'import', format: 'csv' }, '')
      assert.equal(missing.status, 422)
      assert.match(textOf(missing), /Choose a file/)
      const page = await operator.get(IMPORT)
      const forged = await upload(
        operator,
        page,
        { do: 'import', format: 'csv', csrf: 'x' },
        'name,snap_id\n',
      )
      assert.equal(forged.status, 422)
      const format = await upload(operator, page, { do: 'import', format: 'xml' }, 'name,snap_id\n')
      assert.equal(format.status, 422)
      const bad = await upload(operator, page, { do: 'import', format: 'csv' }, 'name,snap_id\n<b>,x\n')
      await run()
      assert.match(
        textOf(await operator.open(bad.location ?? '')),
        /1 problem\. Nothing was imported.*line 2 name/,
      )
    })

    test('a long list has a next page, and keeps within the budget', async () => {
      const entries = Array.from({ length: 130 }, (_, index) => ({
        name: `${'p'.repeat(60)}${String(index).padStart(3, '0')}`,
        snapId: `${'i'.repeat(28)}-${index}`,
      }))
      await service.installation.packages.import(entries, { replaceAll: true })
      const page = await auditor.get('/console/packages')
      assert.match(textOf(page), /100 on this page/)
      assert.ok(page.text.length < 90_000)
      const [, next = ''] = /rel="next" href="([^"]+)"/.exec(page.text) ?? []
      assert.match(textOf(await auditor.get(next)), /30 on this page/)
    })

    const run = () => runJobs(async () => true, service.installation)
    /** Sends the form with a file, like a browser. */
    async function upload(
      browser: ConsoleBrowser,
      page: ConsoleAnswer,
      fields: Readonly<Record<string, string>>,
      file: string,
    ): Promise<ConsoleAnswer> {
      const hidden = [...page.text.matchAll(/<input type="hidden" name="(csrf|once)" value="([^"]*)">/g)]
      const body = new FormData()
      for (const [, name = '', value = ''] of hidden) body.set(name, value)
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      body.set('file', new File([file], file === '' ? '' : 'packages.csv', { type: 'text/csv' }))
      return browser.post(IMPORT, body)
    }
  })
})
