/** Tests what operators and auditors read about the whole service: its package directory and its condition. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { everyPage, manage, managerToken } from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

const entries = Array.from({ length: 130 }, (_, index) => ({
  name: `p${String((index * 7) % 130).padStart(3, '0')}`,
  snapId: `id-${index}`,
}))

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  let auditor: string
  let others: readonly string[]

  before(async () => {
    auditor = await managerToken(service, 'auditor')
    const roles = ['viewer', 'brand-manager acme', 'account-manager']
    others = await Promise.all(roles.map(async (role) => managerToken(service, role)))
    await service.installation.packages.import(entries, { replaceAll: true })
  })
  const get = async (path: string, query = '') => {
    const { status, body } = await manage(service, auditor, 'GET', path, { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  test('lists packages by name, whatever the page size', async () => {
    const wanted = entries
      .map(({ name, snapId }) => ({ name, snap_id: snapId }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const limit of [1, 65, 129, 130, 131]) {
      assert.deepEqual(await everyPage(service, auditor, '/packages', { limit }), wanted, `${limit}`)
    }
    assert.equal((await get('/packages')).packages.length, 100)
  })

  test('reports the condition of the service: its release, and each part', async () => {
    const { release, findings } = await get('/status')
    assert.match(release, /^\d+\.\d+\.\d+/)
    const states = Object.fromEntries(
      findings.map(({ part, state }: Readonly<Record<string, string>>) => [part, state]),
    )
    // No process does the periodic work here, and there is no backup.
    assert.deepEqual(states, {
      ...{ service: 'ok', nodes: 'ok', jobs: 'attention', bulk_jobs: 'ok' },
      ...{ database: 'ok', schema: 'ok', clock: 'ok', changes: 'ok' },
      ...{ secret_key: 'ok', keys: 'ok', signing_keys: 'ok', issuers: 'ok', certificates: 'ok' },
      ...{ audit_log: 'ok', backup: kind === 'sqlite' ? 'attention' : 'unknown', sign_in_links: 'ok' },
      reminders: 'ok',
    })
  })

  test('Guarantee: does not reveal where the database is', async () => {
    const { findings } = await get('/status')
    const says = JSON.stringify(findings)
    const { database } = service.installation.config
    const places = database.kind === 'sqlite' ? [database.file] : [database.url, new URL(database.url).host]
    for (const place of places) assert.equal(says.includes(place), false, place)
    assert.doesNotMatch(says, /[^:/\w]\/[a-z]+\/|postgres:|@/)
  })

  test('refuses callers without a role for the whole service, and unknown parameters', async () => {
    for (const path of ['/packages', '/status']) {
      for (const token of others) {
        const answer = await manage(service, token, 'GET', path)
        assert.deepEqual([answer.status, refusalOf(answer).code], [403, 'permission-denied'], path)
      }
      const { status } = await manage(service, auditor, 'GET', path, { query: '?brand=acme' })
      assert.equal(status, 400, path)
    }
    const cursor = Buffer.from('["other","p001"]').toString('base64url')
    const { status } = await manage(service, auditor, 'GET', '/packages', { query: `?cursor=${cursor}` })
    assert.equal(status, 400)
  })
})
