/** Tests what needs attention, on both databases: what is counted, what expires, and who sees it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { addApiKey, addBrand, addModel, disableSigningKey, revokeApiKey } from '../support/as-operator.ts'
import { accountKeyFile, addTestRoot, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { addManager, manage, managementToken, managerToken } from '../support/managers.ts'
import { addDevice, addDevices } from '../support/register.ts'
import { addSession } from '../support/reminders.ts'
import { addPerson, refusalOf, testService } from '../support/service.ts'

const DAY = 86_400_000
const MODEL = { brandId: 'acme-brand', model: 'acme-classic' }
const NOTHING = { devices: 0, more: false }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: string
  let end: Date
  const inDays = (days: number) => new Date(service.now().getTime() + days * DAY)

  before(async () => {
    const { installation } = service
    end = new Date(`${inDays(200).toISOString().slice(0, 10)}T18:00:00Z`)
    await addTestRoot(installation)
    await addBrand(
      {
        account: vector('world/account-acme-brand'),
        accountKey: accountKeyFile('acme-brand', testKey('brand'), { until: end.toISOString() }),
        signingKey: vector('world/keys/brand.pem'),
      },
      installation,
    )
    await addModel(
      { file: vector('world/model-acme-classic'), policy: { registration: 'auto', ...DEFAULT_POLICY } },
      installation,
    )
    operator = await managerToken(service, 'operator')
  })

  const attention = async (token = operator, query = '') => {
    const { status, body } = await manage(service, token, 'GET', '/attention', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const tokenFor = async (...roles: readonly string[]) => managerToken(service, ...roles)

  test('is empty for a service where nothing waits', async () => {
    const { at, ...body } = await attention()
    assert.ok(Math.abs(Date.parse(at) - service.now().getTime()) < 60_000)
    assert.deepEqual(body, {
      brand: null,
      waiting: { ...NOTHING, oldest_at: null },
      quarantined: NOTHING,
      evidence: NOTHING,
      ...{ brands_without_key: [], signing_keys: [], api_keys: [] },
      tokens: { tokens: 0, more: false, first_ends_at: null },
      jobs: 0,
      sign_in_links: [],
      set_up: null,
    })
  })

  test('counts devices that wait (with the longest wait), are in quarantine, or have evidence', async () => {
    await addDevices(service, [
      { serial: 'S-1', status: 'pending', registeredAt: inDays(-3) },
      { serial: 'S-2', registeredAt: inDays(-9), quarantinedAt: inDays(-1) },
      { serial: 'S-3', brandId: 'other', status: 'pending', registeredAt: inDays(-2) },
    ])
    const { id, bucket } = await addDevice(service, {
      serial: 'S-4',
      brandId: 'other',
      registeredAt: inDays(-1),
    })
    await service.installation.database.query
      .insertInto('device_activity')
      .values({
        ...{ device_id: id, bucket, brand_id: 'other', last_seen_at: null },
        ...{ address: null, address_key: null, evidence_at: inDays(-1).getTime() },
      })
      .execute()
    const all = await attention()
    assert.deepEqual([all.waiting.devices, all.quarantined.devices, all.evidence.devices], [2, 1, 1])
    assert.ok(Math.abs(Date.parse(all.waiting.oldest_at) - inDays(-3).getTime()) < 60_000)
    const acme = await attention(operator, '?brand=acme-brand')
    assert.deepEqual([acme.waiting.devices, acme.quarantined.devices, acme.evidence.devices], [1, 1, 0])
    const other = await attention(operator, '?brand=other')
    assert.deepEqual([other.waiting.devices, other.quarantined.devices, other.evidence.devices], [1, 0, 1])
    assert.ok(Math.abs(Date.parse(other.waiting.oldest_at) - inDays(-2).getTime()) < 60_000)
  })

  test('Guarantee: a caller who sees one brand cannot tell that others have anything that waits', async () => {
    const viewer = await tokenFor('viewer other')
    const { at: _, ...own } = await attention(viewer)
    assert.deepEqual([own.waiting.devices, own.quarantined.devices, own.evidence.devices], [1, 0, 1])
    assert.deepEqual([own.tokens, own.sign_in_links, own.jobs], [null, null, 0])
    const [theirs, absent] = await Promise.all(
      ['acme-brand', 'unknown'].map(async (brand) => {
        const { at: _, brand: __, ...rest } = await attention(viewer, `?brand=${brand}`)
        return rest
      }),
    )
    assert.deepEqual(theirs, absent)
    assert.deepEqual(theirs?.waiting, { ...NOTHING, oldest_at: null })
  })

  test('lists API keys that expire within 30 days, by model, without revoked, used-up, expired and endless ones', async () => {
    const { installation } = service
    const add = async (days: number | null, useLimit: number | null = null) =>
      (
        await addApiKey(
          { model: MODEL, label: 'line', useLimit, expiresAt: days === null ? null : inDays(days) },
          installation,
        )
      ).key
    const [first, , revoked, used] = [await add(20), await add(29), await add(5), await add(6, 1)]
    await add(null)
    await add(31)
    await revokeApiKey(revoked?.id ?? '', installation)
    const uses = installation.database.query.updateTable('api_key').set({ uses: 1 })
    await uses.where('id', '=', used?.id ?? '').execute()
    const { api_keys } = await attention(operator, '?brand=acme-brand')
    assert.deepEqual(api_keys, [
      {
        ...{ brand_id: 'acme-brand', model: 'acme-classic', keys: 2 },
        first_ends_at: first?.expiresAt?.toISOString(),
      },
    ])
    assert.deepEqual((await attention(operator, '?brand=other')).api_keys, [])
  })

  test('shows tokens of all accounts that expire within 30 days to callers who can read them', async () => {
    const ada = await addPerson(service)
    await addSession(service, ada, { endsIn: 12 })
    await addSession(service, ada, { endsIn: 29 })
    await addSession(service, ada, { endsIn: 31 })
    await addSession(service, ada, { endsIn: 1, columns: { kind: 'management' } })
    await addSession(service, ada, { endsIn: 1, columns: { rule_id: 'r', job: '{}' } })
    const { tokens } = await attention()
    assert.deepEqual([tokens.tokens, tokens.more], [2, false])
    assert.ok(Math.abs(Date.parse(tokens.first_ends_at) - inDays(12).getTime()) < 60_000)
    assert.deepEqual((await attention(await tokenFor('auditor'))).tokens, tokens)
    assert.equal((await attention(await tokenFor('brand-manager'))).tokens, null)
    assert.equal((await attention(operator, '?brand=acme-brand')).tokens, null)
  })

  test("shows jobs of seven days that failed or were stopped: the caller's own, and all to operators", async () => {
    const [manager, other] = [await addManager(service, 'brand-manager'), await addPerson(service)]
    const row = {
      ...{ kind: 'devices.approve', made_by: 'x', session_id: 's', source: 's' },
      ...{ authority: '{}', settings: '{}' },
      ...{ total: 0, done: 0, unchanged: 0, refused: 0, started_at: null, ended_at: null, note: null },
    }
    const jobs = [
      { state: 'failed', account_id: manager.id, created_at: inDays(-1).getTime() },
      { state: 'failed', account_id: manager.id, created_at: inDays(-8).getTime() },
      { state: 'done', account_id: manager.id, created_at: inDays(-1).getTime() },
      { state: 'stopped', account_id: other.id, created_at: inDays(-1).getTime() },
    ] as const
    await service.installation.database.query
      .insertInto('job')
      .values(jobs.map((job, index) => ({ ...row, ...job, id: `019a-${index}` })))
      .execute()
    assert.equal((await attention()).jobs, 2)
    assert.equal((await attention(await managementToken(service, manager))).jobs, 1)
    assert.equal((await attention(await tokenFor('viewer'))).jobs, 0)
  })

  test('shows who used the setup link for seven days, to callers who can read the audit log', async () => {
    await service.installation.changeBy({ actor: 'account:ada', source: '192.0.2.7' })(async ({ record }) =>
      record({ action: 'installation.set-up', subject: 'ada' }),
    )
    const { set_up: setUp } = await attention()
    assert.deepEqual([setUp.username, setUp.address], ['ada', '192.0.2.7'])
    assert.equal((await attention(await tokenFor('brand-manager'))).set_up, null)
    assert.equal((await attention(operator, '?brand=acme-brand')).set_up, null)
  })

  test('shows links that sign in without a password for seven days, to callers who can read the audit log', async () => {
    await service.installation.changeBy({ actor: 'operator', source: 'host' })(async ({ record }) =>
      record({ action: 'account.sign-in-link', subject: 'ada' }),
    )
    const { sign_in_links: links } = await attention()
    assert.deepEqual(
      links.map(({ username }: { username: string }) => username),
      ['ada'],
    )
    assert.equal((await attention(await tokenFor('brand-manager'))).sign_in_links, null)
    service.advance(8 * DAY)
    operator = await tokenFor('operator')
    assert.deepEqual((await attention()).sign_in_links, [])
  })

  test('shows the last signing key of a brand from 30 days before it expires, and a brand without one', async () => {
    const { installation } = service
    assert.deepEqual((await attention()).signing_keys, [])
    service.advance(end.getTime() - service.now().getTime() - 21 * DAY)
    operator = await tokenFor('operator')
    const { signing_keys, brands_without_key } = await attention()
    const keyId = testKey('brand').publicKey.id
    assert.deepEqual(signing_keys, [
      { key_id: keyId, brand_id: 'acme-brand', name: 'serials', ends_at: end.toISOString() },
    ])
    assert.deepEqual(brands_without_key, [])
    await disableSigningKey({ keyId, force: true }, installation)
    const without = await attention()
    assert.deepEqual([without.signing_keys, without.brands_without_key], [[], ['acme-brand']])
    const viewer = await attention(await tokenFor('viewer other'))
    assert.deepEqual([viewer.signing_keys, viewer.brands_without_key], [[], []])
  })

  test('refuses callers without a role that sees devices, and unknown parameters', async () => {
    const refused = await manage(service, await tokenFor('account-manager'), 'GET', '/attention')
    assert.deepEqual([refused.status, refusalOf(refused).code], [403, 'permission-denied'])
    for (const query of ['?brand=a%20b', '?x=1']) {
      assert.equal((await manage(service, operator, 'GET', '/attention', { query })).status, 400, query)
    }
  })
})
