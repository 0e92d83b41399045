/** Permissions and input from other users, on every page and form of the console. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Role } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import {
  assertHarmless,
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  HOSTILE,
  proofIn,
  textOf,
  unescaped,
} from '../support/console.ts'
import { addressOf, FORMS, fill, PAGES, type World } from '../support/console-world.ts'
import { oneDatabase } from '../support/databases.ts'
import { addOperator } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

/** Pages for all signed-in users about their own records. */
const OWN = /^\/(tokens|me|publishers|jobs|devices\/import\/:id)(\/|$)/
/** All who see the model see this list, and the form is part of it. */
const LIST_WITH_FORM = '/models/:brand/:model/remodels'
/** A policy that differs from the model's. */
const POLICY = {
  ...{ registration: 'approval', proposed_serial: 'optional', taken_serial: 'refuse' },
  ...{ hardware_identity: 'ignored', clones: 'quarantine', serials: 'uuid' },
}
const ROLES: readonly Role[] = ['auditor', 'viewer', 'account-manager', 'device-approver', 'brand-manager']

describe('every page', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let account: Account
    let operator: ConsoleBrowser
    let world: World
    before(async () => {
      account = await addOperator(service)
      world = await fill(service, account)
      operator = await consoleOf(service, account)
    })
    const entries = async () =>
      (await service.installation.database.query.selectFrom('audit_entry').select('id').execute()).length

    /** Opens and sends the forms about records of others, and fails if one is not refused. */
    const assertRefused = async (browser: ConsoleBrowser, allowed: readonly string[] = []) => {
      const own = await browser.open('/console/tokens')
      const fields = { ...POLICY, session: world.token, seen: '*', reason: 'a test', to: 'acme-brand/x' }
      const before = await entries()
      for (const pattern of FORMS.filter((one) => !OWN.test(one) && !allowed.includes(one))) {
        const address = addressOf(pattern, world)
        const { status } = await browser.get(address)
        assert.ok(status === 403 || pattern === LIST_WITH_FORM, `${pattern}: ${status}`)
        const sent = await browser.post(address, new URLSearchParams({ ...proofIn(own), ...fields }))
        assert.equal(sent.status, 403, `${pattern}: ${textOf(sent)}`)
      }
      assert.equal(await entries(), before)
    }

    test('Guarantee: users without a role see nothing of others, and their forms are refused', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      for (const pattern of PAGES.filter((one) => !OWN.test(one))) {
        const page = await browser.get(addressOf(pattern, world))
        assert.equal(page.status, 403, pattern)
        assert.match(
          textOf(page),
          /This needs the permission [a-z-]+:[a-z]+, .*These roles have it: /,
          pattern,
        )
      }
      await assertRefused(browser)
    })

    test('Guarantee: all forms of viewers and auditors are refused, except that auditors can verify the log', async () => {
      await assertRefused(await consoleAs(service, 'viewer'))
      await assertRefused(await consoleAs(service, 'auditor'), ['/audit/verify'])
    })

    for (const role of ROLES) {
      test(`the pages for ${role} link to no page that refuses the role`, async () => {
        const browser = await consoleAs(service, role)
        const links = new Set<string>()
        for (const pattern of PAGES) {
          const { status, text } = await browser.get(addressOf(pattern, world))
          if (status !== 200) continue
          for (const [, link = ''] of text.matchAll(/href="(\/console\/[^"]*)"/g)) links.add(unescaped(link))
        }
        const refused: string[] = []
        for (const link of links) if ((await browser.get(link)).status === 403) refused.push(link)
        assert.deepEqual(refused, [])
        assert.ok(links.size > 20, `${links.size} links`)
      })
    }

    test('Guarantee: input from other users is escaped and shortened', async () => {
      const { query } = service.installation.database
      const texts: readonly (readonly [table: string, columns: readonly string[]])[] = [
        ['account', ['name', 'email']],
        ['api_key', ['label']],
        ['audit_entry', ['actor', 'source', 'subject']],
        ['brand', ['display_name']],
        ['clone_evidence', ['subject']],
        ['device_session', ['address', 'user_agent']],
        ['device', ['serial', 'original', 'reason', 'decided_by']],
        ['external_identity', ['issuer', 'subject']],
        ['device_activity', ['address']],
        ['job', ['note', 'made_by']],
        ['job_item', ['message', 'subject']],
      ]
      for (const [table, columns] of texts) {
        const set = Object.fromEntries(columns.map((column) => [column, HOSTILE]))
        await query
          .updateTable(table as 'job')
          .set(set)
          .execute()
      }
      await query
        .updateTable('token_session')
        .set({ description: HOSTILE, opened_from: HOSTILE, origin: HOSTILE, revoked_by: HOSTILE })
        .where('session_id', '=', world.token)
        .execute()
      await query
        .updateTable('audit_entry')
        .set({ details: JSON.stringify({ [HOSTILE]: HOSTILE, several: [HOSTILE, HOSTILE] }) })
        .execute()
      await query
        .updateTable('clone_evidence')
        .set({ details: JSON.stringify({ address: HOSTILE }) })
        .execute()
      await query
        .updateTable('publisher_rule')
        .set({ matchers: JSON.stringify({ repository_id: '74', environment: HOSTILE }) })
        .execute()
      let shown = 0
      for (const pattern of PAGES) {
        const page = await operator.get(addressOf(pattern, world))
        assert.equal(page.status, 200, pattern)
        assertHarmless(page, pattern)
        // Only the page of an entry shows all its details.
        const isLong = /x{500}/.test(page.text.replaceAll(/ value="[^"]*"/g, ''))
        assert.equal(isLong, pattern === '/audit/:id', pattern)
        if (/&lt;script&gt;alert/.test(page.text)) shown++
      }
      assert.ok(shown > 30, `${shown} pages show it`)
      await query
        .updateTable('token_session')
        .set({ revoked_at: service.now().getTime() })
        .where('session_id', '=', world.token)
        .execute()
      const search = `q=${encodeURIComponent(HOSTILE.slice(0, 40))}`
      for (const path of [
        ...[`tokens/${world.token}`, `all-tokens/${world.token}`, 'all-tokens?state=all'],
        `all-tokens?state=all&${search}`,
      ]) {
        const page = await operator.get(`/console/${path}`)
        assert.equal(page.status, 200, path)
        assertHarmless(page, path)
        if (path.includes(world.token)) assert.match(page.text, / by &lt;script&gt;alert/)
      }
    })
  })
})
