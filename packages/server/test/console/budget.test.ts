/**
 * The sizes of the console's pages (contract/administration.md, C15), with one record of each kind and with more than
 * fit on a page.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { newAuditEntryId } from '@ratafia/api'
import { DEVICE_STATUS_NAMES } from '@ratafia/api/schemas'
import { sql } from 'kysely'
import { bucketOf } from '../../src/bucket.ts'
import { insertMany, type Schema } from '../../src/database/index.ts'
import { SCRIPT } from '../../src/web/console/script.ts'
import { CONSOLE_STYLE } from '../../src/web/console/style.ts'
import { type ConsoleBrowser, consoleOf, nextPage, rowsOf, textOf } from '../support/console.ts'
import { addressOf, fill, idOf, keyIdOf, PAGES, serialOf, type World } from '../support/console-world.ts'
import { oneDatabase } from '../support/databases.ts'
import { addOperator } from '../support/managers.ts'
import { type TestService, testService } from '../support/service.ts'

/** All sizes are in bytes. */
const WITHOUT_ROWS = 25_000
const WITH_ROWS = 90_000
const STYLE = 7_000
const ONE_SCRIPT = 6_000
/** The number of rows on a page of a list. */
const ROWS = 100

const LISTS: readonly string[] = [
  ...['/tokens', '/me', '/all-tokens', '/accounts', '/grants', '/publishers', '/packages', '/audit'],
  ...['/jobs', '/jobs/:id', '/devices', '/clones', '/brands', '/signing-keys', '/models'],
  ...['/models/:brand/:model/api-keys', '/models/:brand/:model/allow-list'],
]
/** Lists without a next page. */
const WHOLE: readonly string[] = ['/me']

const brandOf = (index: number) => `a${String(index).padStart(31, '0')}`

type Value = string | number | null | Uint8Array
type Columns<Table extends keyof Schema> = Readonly<Record<keyof Schema[Table] & string, Value>>

/**
 * Adds this many copies of each record of {@link fill}. Creating each one as the service does would take most of a
 * minute.
 */
async function multiply({ installation }: TestService, world: World, count: number): Promise<void> {
  const { query } = installation.database
  const indices = Array.from({ length: count }, (_, index) => index + 1)
  const copy = async <Table extends keyof Schema>(
    table: Table,
    [column, value]: readonly [keyof Schema[Table] & string, string],
    own: (index: number) => Partial<Columns<Table>>,
  ) => {
    const found = sql<Columns<Table>>`select * from ${sql.table(table)} where ${sql.ref(column)} = ${value}`
    const { rows } = await found.execute(query)
    const [row] = rows
    assert.ok(row !== undefined && rows.length === 1, `${table}: ${rows.length} rows`)
    await insertMany(
      query,
      table,
      indices.map((index): Columns<Table> => ({ ...row, ...own(index) })),
    ).execute()
  }
  await copy('brand', ['account_id', 'acme-brand'], (index) => ({
    ...{ account_id: brandOf(index), display_name: `Brand ${index} of a device maker` },
  }))
  await copy('signing_key', ['key_id', world.signing], (index) => ({
    ...{ key_id: `${index}`.padEnd(64, 'k'), account_id: brandOf(index) },
  }))
  await copy('model', ['model', 'lot'], (index) => ({ brand_id: brandOf(index), model: 'm' }))
  await insertMany(
    query,
    'device_count',
    indices.flatMap((index) =>
      DEVICE_STATUS_NAMES.map((status) => ({
        ...{ brand_id: brandOf(index), model: 'm', status, devices: 12_345, counted_at: Date.now() },
      })),
    ),
  ).execute()
  await copy('device', ['id', world.device], (index) => ({
    ...{ id: idOf(index), serial: serialOf(index), device_key_id: keyIdOf(index) },
    bucket: bucketOf(keyIdOf(index)),
  }))
  for (const table of ['clone_evidence', 'device_activity'] as const) {
    await copy(table, ['device_id', world.device], (index) => ({
      ...{ device_id: idOf(index), bucket: bucketOf(keyIdOf(index)) },
    }))
  }
  await copy('allow_list', ['serial', 'A-0'], (index) => ({ serial: `A-${index}` }))
  await copy('api_key', ['id', world.key], (index) => ({
    id: idOf(index),
    key_hash: Buffer.alloc(32, index),
  }))

  const { id: person } = await query
    .selectFrom('account')
    .select('id')
    .where('username', '=', world.username)
    .executeTakeFirstOrThrow()
  const of = (index: number) => ({ account_id: idOf(index) })
  await copy('account', ['id', person], (index) => ({
    ...{
      id: idOf(index),
      username: `person-with-a-long-name-${index}`,
      email: `person-${index}@example.org`,
    },
  }))
  await copy('role_grant', ['subject', person], (index) => ({ subject: idOf(index) }))
  await copy('agent', ['account_id', person], (index) => ({
    ...{ name: `agent-of-person-${index}`, public_key: Buffer.alloc(32, `person ${index}`) },
    ...of(index),
  }))
  await copy('agent', ['name', world.agent], (index) => ({
    ...{ name: `agent-of-mine-${index}`, public_key: Buffer.alloc(32, `mine ${index}`) },
  }))
  await copy('token_session', ['account_id', person], (index) => ({
    ...{ session_id: randomUUID(), ...of(index) },
  }))
  await copy('token_session', ['session_id', world.token], () => ({ session_id: randomUUID() }))
  await copy('publisher_rule', ['name', world.rule], (index) => ({
    ...{ id: idOf(index), name: `hello-world-a-${index}` },
  }))
  await copy('package', ['name', 'a-package-with-a-name-0'], (index) => ({
    ...{ name: `a-package-with-a-name-${index}`, snap_id: `id${index}`.padEnd(32, 'x') },
  }))
  await copy('job_item', ['job_id', world.job], (index) => ({ place: index, subject: idOf(index) }))
  const total = count + 1
  await query.updateTable('job').set({ total, refused: total }).where('id', '=', world.job).execute()
  await copy('job', ['id', world.job], (index) => ({ id: idOf(index) }))
  await copy('audit_entry', ['id', world.entry], () => ({ id: newAuditEntryId(new Date()) }))
}

describe('the budget of the console', () => {
  test('the stylesheet and the script are small', () => {
    assert.ok(Buffer.byteLength(CONSOLE_STYLE) <= STYLE, `${Buffer.byteLength(CONSOLE_STYLE)}`)
    assert.ok(Buffer.byteLength(SCRIPT) < ONE_SCRIPT, `${Buffer.byteLength(SCRIPT)}`)
  })

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let browser: ConsoleBrowser
    let world: World
    before(async () => {
      const operator = await addOperator(service)
      world = await fill(service, operator)
      browser = await consoleOf(service, operator)
    })

    /** Returns a message with its size for each page that is too large. */
    async function overBudget(most: number): Promise<readonly string[]> {
      const wrong: string[] = []
      for (const pattern of PAGES) {
        const { status, text, location = '' } = await browser.get(addressOf(pattern, world))
        const bytes = Buffer.byteLength(text)
        if (status !== 200) wrong.push(`${pattern}: ${status} ${location}`)
        else if (bytes > most) wrong.push(`${pattern}: ${bytes} bytes`)
      }
      return wrong
    }

    test('pages with one record are small', async () => {
      assert.deepEqual(await overBudget(WITHOUT_ROWS), [])
    })

    describe('with many records', () => {
      before(() => multiply(service, world, ROWS + 5))

      test('all pages keep within the budget', async () => {
        assert.deepEqual(await overBudget(WITH_ROWS), [])
      })

      test('the lists of brands and models show the number of devices', async () => {
        for (const list of ['/console/brands', '/console/models']) {
          const { text } = await browser.get(list)
          const counts = text.match(/12,345 active · 12,345 pending · 37,035 others/g)
          assert.equal(counts?.length, ROWS, list)
        }
      })

      test('a preview of a job for 100 tokens shows the first 20', async () => {
        const { text } = await browser.get('/console/all-tokens')
        const ids = [...text.matchAll(/name="session" value="([^"]+)"/g)].map(
          ([, id = '']) => `session=${id}`,
        )
        const page = await browser.get(`/console/all-tokens/revoke?${ids.join('&')}`)
        assert.match(textOf(page), /100 tokens would be revoked.*The first 20 of 100/)
        assert.ok(page.text.length <= WITH_ROWS, `${page.text.length}`)
      })

      for (const pattern of LISTS) {
        test(`${pattern} lists ${ROWS} records, and links to the next ones and back`, async () => {
          const address = addressOf(pattern, world)
          const page = await browser.get(address)
          if (WHOLE.includes(pattern)) return assert.ok(rowsOf(page).length >= ROWS)
          assert.equal(rowsOf(page).length, ROWS)
          const next = await nextPage(browser, page)
          assert.equal(next.status, 200)
          assert.ok(rowsOf(next).length > 0)
          assert.match(next.text, new RegExp(`href="${address}">First page`))
          assert.equal((await browser.get(`${address}?cursor=AAAA`)).status, 400)
        })
      }
    })
  })
})
