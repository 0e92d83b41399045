/** The pages of the service's status and of the package directory in the console. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { byOperator } from '../support/changes.ts'
import { type ConsoleBrowser, consoleAs, consoleOf, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { addOperator } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const IMPORT = '/console/packages/import'

eachDatabase((kind, _open, fresh) => {
  describe('status and packages', () => {
    const service = testService(fresh)
    let auditor: ConsoleBrowser
    let operator: ConsoleBrowser
    before(async () => {
      auditor = await consoleAs(service, 'auditor')
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

    test('an empty directory explains what it is for, and only operators see how to fill it', async () => {
      const page = await operator.get('/console/packages')
      assert.match(textOf(page), /No packages yet\..*ratafia packages import FILE/)
      assert.match(page.text, /<a class="button primary" href="\/console\/packages\/import">/)
      const read = await auditor.get('/console/packages')
      assert.equal(read.status, 200)
      assert.doesNotMatch(read.text, /packages\/import"/)
    })

    test('validates and imports a file, and replaces the packages only after confirmation', async () => {
      const list = async () => textOf(await operator.get('/console/packages'))
      const csv = 'name,snap_id\nhello,id-1\nworld,id-2\n'
      const tried = await upload({ do: 'try' }, csv)
      assert.equal(tried.status, 303, textOf(tried))
      await run()
      assert.match(textOf(await operator.open(tried.location ?? '')), /dry run.*Added 2/)
      assert.match(await list(), /No packages yet/)
      const done = await upload({}, csv)
      await run()
      assert.match(textOf(await operator.open(done.location ?? '')), /File imported\. Imported 2/)
      assert.match(await list(), /hello id-1 world id-2/)

      const one = 'name,snap_id\nhello,id-1\n'
      const wrong = await upload({ replace_all: 'on', typed: 'yes' }, one)
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Type exactly replace\. Nothing was changed/)
      assert.match(wrong.text, /name="replace_all" value="on" checked/)
      const right = await upload({ replace_all: 'on', typed: 'replace' }, one)
      assert.equal(right.status, 303)
      await run()
      assert.doesNotMatch(await list(), /world/)
    })

    test('refuses a form without a file, or with a different format', async () => {
      const missing = await upload({}, '')
      assert.equal(missing.status, 422)
      assert.match(textOf(missing), /Choose a file/)
      assert.equal((await upload({ format: 'xml' }, 'name,snap_id\n')).status, 422)
      const bad = await upload({}, 'name,snap_id\n<b>,x\n')
      await run()
      assert.match(
        textOf(await operator.open(bad.location ?? '')),
        /1 problem\. Nothing was imported.*line 2 name/,
      )
    })

    const run = () => runJobs(async () => true, service.installation)
    const upload = async (fields: Readonly<Record<string, string>>, file: string) =>
      operator.upload(await operator.get(IMPORT), IMPORT, { do: 'import', format: 'csv', ...fields, file })
  })
})
