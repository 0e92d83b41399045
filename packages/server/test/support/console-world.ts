/** The console's pages, and a service with a record of each kind, so that every page shows something. */
import assert from 'node:assert/strict'
import { type DeviceId, newAuditEntryId } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { consolePages } from '../../src/console/routes.ts'
import type { ConsoleRoutes } from '../../src/http/console/console-routes.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { linkIdentity } from './accounts.ts'
import { importHardwareIdentities } from './as-operator.ts'
import { deciding } from './authorities.ts'
import { vector } from './brands.ts'
import { addAcmeModel, register, withAcme } from './devices.ts'
import { giveRoles, manage, managementToken } from './managers.ts'
import { addDevice, addSession as addDeviceSession } from './register.ts'
import { addSession } from './reminders.ts'
import { GITHUB, givenIssuer } from './rules.ts'
import { addAgentTo, addPerson, type TestService } from './service.ts'

/** The ids of the records whose pages are measured. */
export interface World {
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

const { brand, model } = { brand: 'acme-brand', model: 'lot' }
const MODEL = `/models/${brand}/${model}`

/** The record whose id is in the paths that begin like this, or in this one path. */
const IDS: Readonly<Record<string, keyof World>> = {
  ...{ '/tokens/': 'token', '/all-tokens/': 'token', '/audit/': 'entry', '/grants/': 'grant' },
  ...{ '/me/browsers/': 'session', '/me/agents/': 'agent', '/publishers/rules/': 'rule' },
  ...{ '/jobs/': 'job', '/jobs/:id/start': 'upload', '/devices/import/': 'upload' },
  ...{ '/devices/': 'device', '/devices/:id/approve': 'waiting', '/devices/:id/reject': 'waiting' },
  ...{ '/accounts/': 'username', '/signing-keys/': 'signing', '/models/:brand/:model/api-keys/': 'key' },
}

/** Pages that are about the records in their query. */
const QUERIES: Readonly<Record<string, (world: World) => string>> = {
  '/tokens/revoke': ({ token }) => `?session=${token}`,
  '/all-tokens/revoke': ({ token }) => `?session=${token}`,
  '/devices/bulk': ({ waiting }) => `?do=reject&id=${waiting}`,
  '/devices/import/:id': ({ tried }) => `?tried=${tried}`,
  '/models/:brand/:model/allow-list/remove': () => '?serial=A-0',
}

/** This route redirects to another page. */
const WITHOUT_PAGE = '/tokens/:id/rotate'

/** The patterns of the routes of all pages, below `/console`, and of those with a form. */
export const { PAGES, FORMS } = registered()

function registered(): Readonly<Record<'PAGES' | 'FORMS', readonly string[]>> {
  const [pages, forms]: [string[], string[]] = [[], []]
  const recorded: ConsoleRoutes = {
    page: (pattern) => void pages.push(pattern),
    form: (pattern) => void forms.push(pattern),
    file: () => {},
  }
  // Registering the routes does not call any operation.
  consolePages(
    recorded as Parameters<typeof consolePages>[0],
    { own: {} } as Parameters<typeof consolePages>[1],
  )
  assert.ok(pages.length > 20 && forms.length > 40, `${pages.length} pages, ${forms.length} forms`)
  return { PAGES: [...pages.filter((pattern) => pattern !== WITHOUT_PAGE), ...forms], FORMS: forms }
}

/** Returns the path of the page with this pattern about a record of {@link fill}. Fails if there is none. */
export function addressOf(pattern: string, world: World): string {
  const id = IDS[pattern] ?? IDS[pattern.split(':id')[0] ?? '']
  const parts: Readonly<Record<string, string | undefined>> = {
    ...{ brand, model, to_brand: brand, to_model: 'acme-classic', id: id && world[id] },
    name: `agent-of-${world.username}`,
  }
  const path = pattern.replaceAll(
    /:(\w+)/g,
    (_, name) => parts[name] ?? assert.fail(`no record for ${pattern}`),
  )
  return `/console${path}${QUERIES[pattern]?.(world) ?? ''}`
}

const UPLOAD = { kind: 'devices.import', format: 'csv' }

/** Creates one record of each kind that has a list, as the service does. */
export async function fill(service: TestService, operator: Account): Promise<World> {
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
  const device = await addDevice(service, {
    ...{ id: idOf(0) as DeviceId, model, deviceKeyId: keyIdOf(0), origin: 'registration' },
    ...{ serial: serialOf(0), quarantinedAt: now() },
  })
  const { id, bucket } = device
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
  await addDeviceSession(service, device, { at: now() })
  await query
    .insertInto('allow_list')
    .values({ brand_id: 'acme-brand', model: 'lot', serial: 'A-0', added_at: at, device_key_id: '' })
    .execute()
  const key = await api('POST', `${MODEL}/api-keys`, {
    ...{ label: 'A-100, the line in the second hall', uses: 1000 },
  })

  const account = await addPerson(service, 'person-with-a-long-name-0')
  await giveRoles(service, account, 'brand-manager acme-brand')
  await linkIdentity(
    { account: account.username, issuer: 'https://login.example.com', subject: 'u-123' },
    installation,
  )
  await addAgentTo(service, account, `agent-of-${account.username}`)
  await addAgentTo(service, operator, 'agent-of-mine-0')
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
  const upload = await api('POST', '/jobs', { ...UPLOAD, parts: 1 })
  const tried = await api('POST', '/jobs', { ...UPLOAD, parts: 1 }, '?dry_run=true')
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

export const idOf = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`
export const keyIdOf = (index: number) => Buffer.alloc(48, `key ${index}`).toString('base64url')
export const serialOf = (index: number) => `AC-0000${String(index).padStart(4, '0')}`
