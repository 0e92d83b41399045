/** Tests what limited tokens can change: a read-only token nothing, one with fewer permissions only its own session. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isReading, type ManagementPermission } from '@ratafia/api'
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import type { Account } from '../../src/accounts/account.ts'
import { addAcme } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { addManager, giveRoles, manage, managementToken } from '../support/managers.ts'
import {
  addAgentTo,
  logIn,
  narrowed,
  refusalOf,
  revokeSession,
  sessionOf,
  testService,
  whoami,
} from '../support/service.ts'

const CHANGES: readonly (readonly [string, ManagementOperation])[] = Object.entries(
  MANAGEMENT_OPERATIONS,
).filter(([, operation]) => isChange(operation))

/** Bodies that their schemas accept, so that the caller is the reason for a refusal. */
const BODIES: Readonly<Record<string, object>> = {
  shortenMyToken: { until: '2030-01-01T00:00:00Z' },
  rejectDevice: { reason: 'x' },
  addModel: { assertion: 'type: model', policy: { registration: 'auto' } },
  setPolicy: { registration: 'auto' },
  updateModel: { assertion: 'type: model' },
  addRemodel: { to: 'acme-brand/x' },
  addApiKey: { label: 'x' },
  removeAllowed: { all: true },
  switchMyReminders: { reminders: false },
  addAccount: { username: 'other', email: 'other@example.org', name: 'x' },
  editAccount: { name: 'x' },
  addGrant: { account: 'other', role: 'viewer' },
  makeJob: { kind: 'devices.approve', filter: { status: ['pending'] } },
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  before(() => addAcme({ ...service.installation, clock: service.now }))

  /** Returns the number of rows in the tables that a change could write. */
  const rows = async () => {
    const { query } = service.installation.database
    const tables = ['audit_entry', 'job', 'job_part', 'idempotent_request', 'agent', 'role_grant'] as const
    const counts = tables.map(async (table) => (await query.selectFrom(table).selectAll().execute()).length)
    const open = query.selectFrom('token_session').selectAll().where('revoked_at', 'is', null).execute()
    return [...(await Promise.all(counts)), (await open).length]
  }

  const ask = (
    token: string,
    name: string,
    { method, path, file, body }: ManagementOperation,
    { id = '019f0000-0000-7000-8000-000000000000', query = '' } = {},
  ) => {
    const place = path.replace(':brand', 'acme-brand').replace(':model', 'acme-classic').replace(':id', id)
    const isFile = file !== undefined && body === undefined
    return manage(service, token, method, place.replaceAll(/:\w+/g, '1'), {
      query,
      ...(method === 'GET' ? {} : { body: isFile ? 'part' : (BODIES[name] ?? {}) }),
      headers: { 'if-match': '*', ...(isFile && { 'content-type': 'application/octet-stream' }) },
    })
  }

  const readers = async (account: Account) => [
    await managementToken(service, account, { read_only: true }),
    narrowed(await managementToken(service, account), 'manage {"read_only":true}'),
  ]

  for (const [name, operation] of CHANGES) {
    test(`Guarantee: a read-only token starts nothing: ${name}`, async () => {
      for (const token of await readers(await addManager(service, 'operator'))) {
        const before = await rows()
        for (const query of ['', '?dry_run=true']) {
          const { status, code } = refusalOf(await ask(token, name, operation, { query }))
          assert.deepEqual([status, code], [403, 'permission-denied'], query)
        }
        assert.deepEqual(await rows(), before)
      }
    })
  }

  /** Tokens of an operator with fewer permissions. */
  const LESS: Record<string, (account: Account, token: string) => Promise<string> | string> = {
    'created for one role': (account) => managementToken(service, account, { roles: ['viewer'] }),
    'created for one brand': (account) => managementToken(service, account, { brands: ['acme-brand'] }),
    'narrowed by its holder to a role': (_, token) => narrowed(token, 'manage {"roles":["viewer"]}'),
    'narrowed by its holder to a brand': (_, token) => narrowed(token, 'manage {"brands":["acme-brand"]}'),
    'created before its account got a role': async (account) => {
      const token = await managementToken(service, account)
      await giveRoles(service, account, 'viewer acme-brand', 'auditor')
      return token
    },
  }
  const isOwn = (permission: ManagementPermission | undefined) => permission === undefined
  const OWN = CHANGES.filter(([, { permission, path }]) => isOwn(permission) && path.startsWith('/me/'))

  for (const [which, tokenOf] of Object.entries(LESS)) {
    const roles = which.startsWith('created before') ? ['viewer'] : ['operator']

    test(`Guarantee: a token ${which} cannot change its account, or revoke another login`, async () => {
      const account = await addManager(service, ...roles)
      const whole = await managementToken(service, account)
      const developer = await logIn(service, account)
      const less = await tokenOf(account, whole)
      await addAgentTo(service, account, `line-of-${account.username}`)
      const others = [
        await managementToken(service, account),
        developer,
        await managementToken(service, account, {}, { signedIn: 'agent ci' }),
      ]
      const before = await rows()
      for (const [name, operation] of OWN) {
        const ids = name.includes('Agent') ? [`line-of-${account.username}`] : others.map(sessionOf)
        for (const id of ids) {
          const { status, code } = refusalOf(await ask(less, name, operation, { id }))
          assert.deepEqual([status, code], [403, 'permission-denied'], `${name} ${id}`)
        }
      }
      assert.deepEqual(await rows(), before)
      assert.equal(await whoami(service, developer), 200)
      // It can end its own session.
      const revoked = await manage(service, less, 'POST', `/me/tokens/${sessionOf(less)}/revoke`, {
        body: {},
      })
      assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
    })
  }

  test('Guarantee: a token cannot cancel a job with more permissions', async () => {
    const account = await addManager(service, 'operator')
    const [whole, peer] = [await managementToken(service, account), await managementToken(service, account)]
    const approver = await managementToken(service, account, { roles: ['device-approver'] })
    const other = await managementToken(service, account, { roles: ['device-approver'] })
    const viewer = await managementToken(service, account, { roles: ['viewer'] })
    const made = async (token: string) => {
      const body = { kind: 'devices.import', format: 'csv', parts: 2 }
      const approving = { kind: 'devices.approve', ids: ['019f0000-0000-7000-8000-000000000000'] }
      const answer = await manage(service, token, 'POST', '/jobs', {
        body: token === approver ? approving : body,
      })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return answer.body.id as string
    }
    const cancel = async (token: string, id: string) =>
      (await manage(service, token, 'POST', `/jobs/${id}/cancel`, { body: {}, query: '?dry_run=true' }))
        .status
    const [wide, narrow] = [await made(whole), await made(approver)]
    for (const [token, job, status] of [
      [viewer, wide, 403],
      [viewer, narrow, 403],
      [approver, wide, 403],
      [approver, narrow, 200],
      [other, narrow, 200],
      [peer, wide, 200],
      [peer, narrow, 200],
    ] as const) {
      assert.equal(await cancel(token, job), status)
    }
  })

  test('Guarantee: a developer token cannot revoke a management login, which it does not find', async () => {
    const account = await addManager(service, 'operator')
    const developer = await logIn(service, account)
    const [mine, management] = [await logIn(service, account), await managementToken(service, account)]
    const answer = await revokeSession(service, developer, sessionOf(management))
    assert.equal(refusalOf(answer).code, 'resource-not-found')
    assert.equal((await manage(service, management, 'GET', '/me')).status, 200)
    assert.equal((await revokeSession(service, developer, sessionOf(mine))).status, 200)
  })

  test('the table has every change that requires no permission to change', () => {
    const others = CHANGES.filter(([, { permission, path }]) => {
      const takesPermission = permission !== undefined && !isReading(permission)
      return !takesPermission && !path.startsWith('/me/')
    }).map(([name]) => name)
    // Jobs require the permission of their kind; the tests above cover who can cancel one.
    assert.deepEqual(others.sort(), ['cancelJob', 'makeJob', 'putJobPart', 'startJob', 'verifyAudit'])
  })
})
