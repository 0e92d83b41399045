/**
 * The sizes of the console's pages (contract/administration.md, C15). Every page has a row in the table, by the
 * pattern of its route. A page without a row fails, and so does a row without a page.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type DeviceId, newAuditEntryId } from '@ratafia/api'
import { sql } from 'kysely'
import type { Account } from '../../src/accounts/account.ts'
import { bucketOf } from '../../src/bucket.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { consolePages } from '../../src/console/routes.ts'
import { insertMany, type Schema } from '../../src/database/index.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import type { ConsoleRoutes } from '../../src/http/console/console-routes.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { SCRIPT } from '../../src/web/console/script.ts'
import { CONSOLE_STYLE } from '../../src/web/console/style.ts'
import { addAgent } from '../support/accounts.ts'
import { importHardwareIdentities } from '../support/as-operator.ts'
import { deciding } from '../support/authorities.ts'
import { vector } from '../support/brands.ts'
import { type ConsoleBrowser, consoleOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addAcmeModel, register, withAcme } from '../support/devices.ts'
import { addOperator, giveRoles, manage, managementToken } from '../support/managers.ts'
import { addSession } from '../support/reminders.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'
import { addPerson, type TestService, testService } from '../support/service.ts'

/** All sizes are in bytes. */
const WITHOUT_ROWS = 25_000
const WITH_ROWS = 90_000
const STYLE = 7_000
const ONE_SCRIPT = 6_000
/** The number of rows on a page of a list. */
const ROWS = 100

/** The ids of the records whose pages are measured. */
interface World {
  readonly token: string
  readonly session: string
  readonly username: string
  readonly agent: string
  readonly grant: string
  readonly device: string
  readonly waiting: string
  readonly job: string
  readonly upload: string
  /** The job of a file that was only validated. */
  readonly tried: string
  readonly entry: string
  readonly key: string
  readonly signing: string
  readonly rule: string
}

interface Page {
  /** The pattern of its route, below `/console`. */
  readonly pattern: string
  /** A path of the page, below `/console`. Default: the pattern. */
  readonly at?: (world: World) => string
  /** The minimum number of rows of a list if there are many records. */
  readonly rows?: number
}

const MODEL = '/models/acme-brand/lot'
const OF_MODEL = '/models/:brand/:model'

const PAGES: readonly Page[] = [
  { pattern: '/tokens', rows: ROWS },
  { pattern: '/tokens/:id', at: ({ token }) => `/tokens/${token}` },
  { pattern: '/tokens/:id/shorten', at: ({ token }) => `/tokens/${token}/shorten` },
  { pattern: '/tokens/:id/revoke', at: ({ token }) => `/tokens/${token}/revoke` },
  { pattern: '/tokens/explain' },
  { pattern: '/tokens/revoke', at: ({ token }) => `/tokens/revoke?session=${token}` },
  { pattern: '/tokens/revoke-all' },
  { pattern: '/tokens/new' },
  { pattern: '/me', rows: ROWS },
  { pattern: '/me/browsers/:id/end', at: ({ session }) => `/me/browsers/${session}/end` },
  { pattern: '/me/browsers/end' },
  { pattern: '/me/agents/new' },
  { pattern: '/me/agents/:id/remove', at: ({ agent }) => `/me/agents/${agent}/remove` },
  { pattern: '/overview' },
  { pattern: '/audit', rows: ROWS },
  { pattern: '/audit/verify' },
  { pattern: '/audit/:id', at: ({ entry }) => `/audit/${entry}` },
  { pattern: '/jobs', rows: ROWS },
  { pattern: '/jobs/:id', at: ({ job }) => `/jobs/${job}`, rows: ROWS },
  { pattern: '/jobs/:id/cancel', at: ({ job }) => `/jobs/${job}/cancel` },
  { pattern: '/jobs/:id/start', at: ({ upload }) => `/jobs/${upload}/start` },
  { pattern: '/publishers', rows: ROWS },
  { pattern: '/publishers/new' },
  { pattern: '/publishers/rules/:id', at: ({ rule }) => `/publishers/rules/${rule}` },
  { pattern: '/publishers/rules/:id/remove', at: ({ rule }) => `/publishers/rules/${rule}/remove` },
  { pattern: '/publishers/rules/:id/test', at: ({ rule }) => `/publishers/rules/${rule}/test` },
  { pattern: '/status' },
  { pattern: '/packages', rows: ROWS },
  { pattern: '/packages/import' },
  { pattern: '/devices', rows: ROWS },
  { pattern: '/devices/bulk', at: ({ waiting }) => `/devices/bulk?do=approve&id=${waiting}` },
  { pattern: '/devices/import' },
  { pattern: '/devices/import/:id', at: ({ upload, tried }) => `/devices/import/${upload}?tried=${tried}` },
  { pattern: '/devices/:id', at: ({ device }) => `/devices/${device}` },
  { pattern: '/devices/:id/approve', at: ({ waiting }) => `/devices/${waiting}/approve` },
  { pattern: '/devices/:id/reject', at: ({ waiting }) => `/devices/${waiting}/reject` },
  { pattern: '/devices/:id/release', at: ({ device }) => `/devices/${device}/release` },
  { pattern: '/devices/:id/revoke', at: ({ device }) => `/devices/${device}/revoke` },
  { pattern: '/clones', rows: ROWS },
  { pattern: '/accounts', rows: ROWS },
  { pattern: '/accounts/new' },
  { pattern: '/accounts/:id', at: ({ username }) => `/accounts/${username}` },
  { pattern: '/accounts/:id/edit', at: ({ username }) => `/accounts/${username}/edit` },
  { pattern: '/accounts/:id/disable', at: ({ username }) => `/accounts/${username}/disable` },
  { pattern: '/accounts/:id/enable', at: ({ username }) => `/accounts/${username}/enable` },
  { pattern: '/accounts/:id/password-link', at: ({ username }) => `/accounts/${username}/password-link` },
  {
    pattern: '/accounts/:id/agents/:name/remove',
    at: ({ username }) => `/accounts/${username}/agents/agent-of-${username}/remove`,
  },
  { pattern: '/grants', rows: ROWS },
  { pattern: '/grants/new' },
  { pattern: '/grants/:id/remove', at: ({ grant }) => `/grants/${grant}/remove` },
  { pattern: '/all-tokens', rows: ROWS },
  { pattern: '/all-tokens/:id', at: ({ token }) => `/all-tokens/${token}` },
  { pattern: '/all-tokens/:id/revoke', at: ({ token }) => `/all-tokens/${token}/revoke` },
  { pattern: '/all-tokens/revoke', at: ({ token }) => `/all-tokens/revoke?id=${token}` },
  { pattern: '/brands' },
  { pattern: '/brands/:brand', at: () => '/brands/acme-brand' },
  { pattern: '/trust-roots' },
  { pattern: '/signing-keys' },
  { pattern: '/signing-keys/:id/disable', at: ({ signing }) => `/signing-keys/${signing}/disable` },
  {
    pattern: '/signing-keys/:id/disable-anyway',
    at: ({ signing }) => `/signing-keys/${signing}/disable-anyway`,
  },
  { pattern: '/models', rows: ROWS },
  { pattern: '/models/new' },
  { pattern: OF_MODEL, at: () => MODEL },
  { pattern: `${OF_MODEL}/assertion`, at: () => `${MODEL}/assertion` },
  { pattern: `${OF_MODEL}/remove`, at: () => `${MODEL}/remove` },
  { pattern: `${OF_MODEL}/policy`, at: () => `${MODEL}/policy` },
  { pattern: `${OF_MODEL}/remodels`, at: () => `${MODEL}/remodels` },
  {
    pattern: `${OF_MODEL}/remodels/:to_brand/:to_model/remove`,
    at: () => `${MODEL}/remodels/acme-brand/acme-classic/remove`,
  },
  { pattern: `${OF_MODEL}/api-keys`, at: () => `${MODEL}/api-keys`, rows: ROWS },
  { pattern: `${OF_MODEL}/api-keys/new`, at: () => `${MODEL}/api-keys/new` },
  { pattern: `${OF_MODEL}/api-keys/:id/revoke`, at: ({ key }) => `${MODEL}/api-keys/${key}/revoke` },
  { pattern: `${OF_MODEL}/allow-list`, at: () => `${MODEL}/allow-list`, rows: ROWS },
  { pattern: `${OF_MODEL}/allow-list/remove`, at: () => `${MODEL}/allow-list/remove?serial=A-0` },
  { pattern: `${OF_MODEL}/allow-list/remove-all`, at: () => `${MODEL}/allow-list/remove-all` },
  { pattern: `${OF_MODEL}/allow-list/import`, at: () => `${MODEL}/allow-list/import` },
  { pattern: '/hardware-identities' },
  { pattern: '/hardware-identities/import' },
]

/** These routes redirect to another page. */
const WITHOUT_PAGE: readonly string[] = ['/tokens/:id/rotate']

/** The patterns of all pages. */
function patterns(): readonly string[] {
  const found: string[] = []
  const note = (path: string) => void found.push(path)
  const recorded: ConsoleRoutes = { page: note, form: note, file: () => {} }
  // Registering the routes does not call any operation.
  consolePages(
    recorded as Parameters<typeof consolePages>[0],
    { own: {} } as Parameters<typeof consolePages>[1],
  )
  return found
}

const FILE = { kind: 'devices.import', format: 'csv' }

/** Creates one record of each kind that has a list, as the service does. */
async function fill(service: TestService, operator: Account): Promise<World> {
  const { installation, now } = service
  const { query } = installation.database
  const token = await managementToken(service, operator)
  const api = async (method: 'GET' | 'POST', path: string, body?: unknown, query = '') => {
    const answer = await manage(service, token, method, path, { body, query })
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await withAcme(installation, { registration: 'approval' })
  assert.equal((await register(service, { serial: 'W-1' })).status, 202)
  const [waiting] = await installation.devices.list({ brandId: 'acme-brand', limit: 1 })
  await addAcmeModel(installation, 'lot')
  await api('POST', `${MODEL}/remodels`, { to: 'acme-brand/acme-classic' })
  await importHardwareIdentities([vector('extra-head/hardware-identity')], installation)

  const at = now().getTime()
  const deviceKeyId = keyIdOf(0)
  const device = {
    ...newDevice({
      ...{ brandId: 'acme-brand', model: 'lot', deviceKeyId, origin: 'registration' as const },
      ...{ original: null, registeredAt: now() },
    }),
    ...{ id: idOf(0) as DeviceId, bucket: bucketOf(deviceKeyId), serial: serialOf(0) },
    ...{ status: 'active' as const, quarantinedAt: now() },
  }
  const { id, bucket } = device
  await query
    .insertInto('device')
    .values({ ...rowOf(device), request: null })
    .execute()
  await query
    .insertInto('clone_evidence')
    .values({
      ...{ device_id: id, bucket, kind: 'two-chains', subject: id, times: 14 },
      ...{ first_seen_at: at - 1000, last_seen_at: at, details: '{"address":"2001:db8::1234:5678:9abc"}' },
    })
    .execute()
  await query
    .insertInto('device_activity')
    .values({
      ...{ device_id: id, bucket, brand_id: 'acme-brand', evidence_at: at },
      ...{ last_seen_at: at, address: '2001:db8::1234:5678:9abc', address_key: '0'.repeat(32) },
    })
    .execute()
  await query
    .insertInto('allow_list')
    .values({ brand_id: 'acme-brand', model: 'lot', serial: 'A-0', added_at: at, device_key_id: '' })
    .execute()
  const key = await api('POST', `${MODEL}/api-keys`, {
    ...{ label: 'A-100, the line in the second hall', uses: 1000 },
  })

  const account = await addPerson(service, 'somebody-0')
  await giveRoles(service, account, 'brand-manager acme-brand')
  const identity = { ...installation, location: `${service.baseUrl}/identity` }
  await addAgent({ account: account.username, name: `agent-of-${account.username}` }, identity)
  await addAgent({ account: operator.username, name: 'agent-of-mine-0' }, identity)
  await addSession(service, account, { endsIn: 20, description: 'ci: hello-world edge' })
  const session = await addSession(service, operator, { endsIn: 20, description: 'ci: hello-world edge' })

  await givenIssuer(installation.database, GITHUB, 'github')
  const { rule } = await addRule(
    {
      ...{ name: 'hello-world-a-0', issuer: GITHUB, account: operator.username },
      match: { repository_id: '70', repository_owner_id: '65', ref: 'refs/heads/main' },
      ...{ packages: [{ name: 'a-package-with-a-name-1' }], maker: { authority: deciding() } },
      grants: { permissions: ['package_upload', 'package_release'], channels: ['edge', 'beta'] },
    },
    { ...installation, jobMaxLifetime: 900_000 },
  )
  await installation.packages.import([{ name: 'a-package-with-a-name-0', snapId: 'id0'.padEnd(32, 'x') }], {
    replaceAll: true,
  })

  const reason = 'No unit of ours has this serial.'
  const job = await api('POST', '/jobs', { kind: 'devices.reject', ids: [id], reason })
  await runJobs(async () => true, installation)
  const upload = await api('POST', '/jobs', { ...FILE, parts: 1 })
  const tried = await api('POST', '/jobs', { ...FILE, parts: 1 }, '?dry_run=true')
  const entry = newAuditEntryId(now())
  const details = { via: 'console', session, role: 'operator', request: job.id, agent: 'agent-of-mine' }
  await installation.audit.add({
    ...{ id: entry, actor: `account:${operator.username}`, source: '2001:db8::1234:5678:9abc' },
    ...{ action: 'device.approve', subject: id, at: now(), details: JSON.stringify(details) },
  })
  const { grants } = await api('GET', '/grants')
  const { signing_keys: signing } = await api('GET', '/signing-keys')
  const { browsers } = await api('GET', '/me/browsers')
  return {
    ...{ token: session, session: browsers[0]?.id ?? 'none', username: account.username },
    ...{ agent: 'agent-of-mine-0', grant: grants[0].id, device: id, waiting: waiting?.id ?? '' },
    ...{ job: job.id, upload: upload.id, tried: tried.id, entry, key: key.id },
    ...{ signing: signing[0].key_id, rule: rule.name },
  }
}

const idOf = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`
const keyIdOf = (index: number) => Buffer.alloc(48, `key ${index}`).toString('base64url')
const serialOf = (index: number) => `AC-0000${String(index).padStart(4, '0')}`

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
  await copy('model', ['model', 'lot'], (index) => ({ model: `lot-${index}` }))
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

  const { id: somebody } = await query
    .selectFrom('account')
    .select('id')
    .where('username', '=', world.username)
    .executeTakeFirstOrThrow()
  const of = (index: number) => ({ account_id: idOf(index) })
  await copy('account', ['id', somebody], (index) => ({
    ...{ id: idOf(index), username: `somebody-${index}`, email: `somebody-${index}@example.org` },
  }))
  await copy('role_grant', ['subject', somebody], (index) => ({ subject: idOf(index) }))
  await copy('agent', ['account_id', somebody], (index) => ({
    ...{
      name: `agent-of-somebody-${index}`,
      public_key: Buffer.alloc(32, `somebody ${index}`),
      ...of(index),
    },
  }))
  await copy('agent', ['name', world.agent], (index) => ({
    ...{ name: `agent-of-mine-${index}`, public_key: Buffer.alloc(32, `mine ${index}`) },
  }))
  await copy('token_session', ['account_id', somebody], (index) => ({
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

/** Counts the rows of the page's tables. */
const rowsOf = (page: string): number => page.match(/<tr role="row"><td/g)?.length ?? 0

describe('the budget of the console', () => {
  test('the stylesheet and the script are small', () => {
    assert.ok(Buffer.byteLength(CONSOLE_STYLE) <= STYLE, `${Buffer.byteLength(CONSOLE_STYLE)}`)
    assert.ok(Buffer.byteLength(SCRIPT) < ONE_SCRIPT, `${Buffer.byteLength(SCRIPT)}`)
  })

  test('every page has a row here, and every row has a page', () => {
    const rows = [...PAGES.map(({ pattern }) => pattern), ...WITHOUT_PAGE]
    assert.deepEqual(patterns().toSorted(), rows.toSorted())
  })

  /** Returns a message with its size for each page that is too large. */
  async function overBudget(
    browser: ConsoleBrowser,
    world: World,
    { most, areMany }: { readonly most: number; readonly areMany: boolean },
  ): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const { pattern, at, rows: wanted = 0 } of PAGES) {
      const address = `/console${at?.(world) ?? pattern}`
      const { status, text, location = '' } = await browser.get(address)
      const [bytes, rows] = [Buffer.byteLength(text), rowsOf(text)]
      if (status !== 200) wrong.push(`${address}: ${status} ${location}`)
      else if (bytes > most) wrong.push(`${address}: ${bytes} bytes`)
      else if (areMany && rows < wanted) wrong.push(`${address}: ${rows} rows`)
    }
    return wrong
  }

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let browser: ConsoleBrowser
    let world: World
    before(async () => {
      const operator = await addOperator(service)
      world = await fill(service, operator)
      browser = await consoleOf(service, operator)
    })

    test('pages with one record are small', async () => {
      assert.deepEqual(await overBudget(browser, world, { most: WITHOUT_ROWS, areMany: false }), [])
    })

    test('all pages keep within the budget when there are many records', async () => {
      await multiply(service, world, ROWS + 5)
      assert.deepEqual(await overBudget(browser, world, { most: WITH_ROWS, areMany: true }), [])
    })
  })
})
