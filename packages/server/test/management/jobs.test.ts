/** Tests jobs of the management API: many decisions, each once, within the author's permissions at that moment. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, deviceKey, register, withAcme } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { addManager, assertMissing, manage, managementToken, managerToken } from '../support/managers.ts'
import { bearing, refusalOf, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let approver: string
  let manager: string
  let operator: string

  before(async () => {
    await withAcme({ ...service.installation, clock: service.now })
    const tokenFor = async (...roles: string[]) => managerToken(service, ...roles)
    approver = await tokenFor('device-approver acme-brand')
    manager = await tokenFor('brand-manager acme-brand')
    operator = await tokenFor('operator')
  })

  const run = (goOn = async () => true) => runJobs(goOn, { ...service.installation, clock: service.now })

  let models = 0
  /** Registers two devices that wait, for a new model. */
  const waiting = async () => {
    const model = `bulk-${++models}`
    const modelText = await addAcmeModel(service.installation, model, {
      policy: { registration: 'approval' },
    })
    for (const [index, name] of (['device', 'device2'] as const).entries()) {
      const key = deviceKey(name)
      assert.equal((await register(service, { model, modelText, serial: `B-${index}`, key })).status, 202)
    }
    const query = `?model=acme-brand/${model}&sort=registered`
    const { body } = await manage(service, approver, 'GET', '/devices', { query })
    const ids: readonly string[] = body.devices.map(({ id }: { id: string }) => id)
    assert.equal(ids.length, 2)
    return { model: `acme-brand/${model}`, ids }
  }
  const make = (token: string, body: object, asking: object = {}) =>
    manage(service, token, 'POST', '/jobs', { body, ...asking })
  const made = async (token: string, body: object) => {
    const answer = await make(token, body)
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body.id as string
  }
  const show = async (token: string, id: string) => (await manage(service, token, 'GET', `/jobs/${id}`)).body
  const outcomes = async (token: string, id: string, query = '') =>
    (await manage(service, token, 'GET', `/jobs/${id}/items`, { query })).body.items
  const entriesAbout = async (subject: string, action: string) =>
    (await service.installation.audit.list({ subject }, { limit: 100 })).filter(
      (one) => one.action === action,
    )
  const unknownIds = (count: number) => Array.from({ length: count }, () => newDeviceId(new Date()))

  test('approves a filter: each device once, in the name of the account, with its own entry', async () => {
    const { model, ids } = await waiting()
    const filter = { model: [model], status: ['pending'] }
    const answer = await make(approver, { kind: 'devices.approve', filter, expected: 2 })
    assert.equal(answer.status, 202)
    const { id } = answer.body
    assert.equal(answer.headers.get('location'), `/api/management/v1/jobs/${id}`)
    assert.deepEqual([answer.body.state, answer.body.total, answer.body.done], ['queued', 2, 0])
    await run()
    const job = await show(approver, id)
    assert.deepEqual([job.state, job.done, job.unchanged, job.refused], ['done', 2, 0, 0])
    assert.deepEqual(
      (await outcomes(approver, id)).map((item: { subject: string; outcome: string }) => [
        item.subject,
        item.outcome,
      ]),
      ids.map((one) => [one, 'done']),
    )
    for (const device of ids) {
      const { status, decided_by } = (await manage(service, approver, 'GET', `/devices/${device}`)).body
      assert.deepEqual([status, decided_by], ['active', job.by])
      const [entry, ...more] = await entriesAbout(device, 'device.approve')
      assert.deepEqual(more, [])
      assert.equal(entry?.actor, `account:${job.by}`)
      assert.equal(JSON.parse(entry?.details ?? '').job, id)
    }
    assert.equal((await entriesAbout(id, 'job.add')).length, 1)
    const [end, ...more] = await entriesAbout(id, 'job.end')
    assert.deepEqual(more, [])
    const { state, done } = JSON.parse(end?.details ?? '')
    assert.deepEqual([state, done], ['done', 2])
  })

  test('refusals have reasons, items in the wanted state are unchanged, and the rest is done', async () => {
    const { ids } = await waiting()
    const [first = '', second = ''] = ids
    await manage(service, approver, 'POST', `/devices/${first}/approve`)
    await manage(service, approver, 'POST', `/devices/${second}/reject`, { body: { reason: 'not ours' } })
    const [unknown = ''] = unknownIds(1)
    const id = await made(approver, {
      kind: 'devices.reject',
      ids: [first, second, unknown, second],
      reason: 'not one of ours',
    })
    await run()
    const job = await show(approver, id)
    assert.deepEqual([job.total, job.done, job.unchanged, job.refused], [3, 0, 1, 2])
    const refused = await outcomes(approver, id, '?outcome=refused')
    assert.deepEqual(
      refused.map((item: { subject: string; code: string }) => [item.subject, item.code]),
      [
        [first, 'state-conflict'],
        [unknown, 'no-such-record'],
      ],
    )
    assert.match(refused[0].message, /is not pending/)
    assert.deepEqual(await outcomes(approver, id, '?outcome=open'), [])
    const page = await manage(service, approver, 'GET', `/jobs/${id}/items`, { query: '?limit=2' })
    assert.equal(page.body.items.length, 2)
    const rest = await manage(service, approver, 'GET', `/jobs/${id}/items`, {
      query: `?limit=2&cursor=${page.body.next}`,
    })
    assert.deepEqual([rest.body.items.length, rest.body.next], [1, null])
    const file = async (query: string, token = approver) => {
      const url = `${service.baseUrl}/api/management/v1/jobs/${id}/items/export${query}`
      return fetch(url, { headers: bearing(token) })
    }
    const lines = (await (await file('?outcome=refused')).text()).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      refused,
    )
    const csv = (await (await file('?format=csv')).text()).trimEnd().split('\n')
    assert.deepEqual([csv[0], csv.length], ['subject,outcome,code,message,extra,result', 4])
    const other = await file('', manager)
    assert.equal(other.status, 404)
    assert.match(await other.text(), /"no-such-record"/)
  })

  test('a filter for waiting devices does not approve one that is rejected meanwhile', async () => {
    const { ids, model } = await waiting()
    const [first = '', second = ''] = ids
    const approve = async (more: object) => {
      const id = await made(approver, { kind: 'devices.approve', filter: { model: [model], ...more } })
      await manage(service, approver, 'POST', `/devices/${first}/reject`, { body: { reason: 'stolen' } })
      await run()
      return outcomes(approver, id)
    }
    const [refused, done] = await approve({ status: ['pending'] })
    assert.deepEqual(
      [refused.subject, refused.code, done.subject, done.outcome],
      [...[first, 'state-conflict'], ...[second, 'done']],
    )
    assert.match(refused.message, /was rejected after the job was created/)
    const [approved] = await approve({ status: ['rejected', 'pending'] })
    assert.deepEqual([approved.subject, approved.outcome], [first, 'done'])
  })

  test('refuses a selection that has changed since the caller looked, or that selects nothing', async () => {
    const { model, ids } = await waiting()
    const filter = { model: [model] }
    const changed = await make(approver, { kind: 'devices.approve', filter, expected: 3 })
    assert.deepEqual([changed.status, refusalOf(changed).code], [409, 'selection-changed'])
    assert.deepEqual(changed.body.error_list[0].extra, { expected: 3, found: 2 })
    for (const body of [
      { kind: 'devices.approve' },
      { kind: 'devices.approve', filter: {} },
      { kind: 'devices.approve', filter, ids },
      { kind: 'devices.approve', filter, colour: 'red' },
      { kind: 'devices.approve', filter: { ...filter, limit: 5 } },
      { kind: 'devices.approve', filter: { ...filter, registered_since: '2026-02-31T00:00:00Z' } },
      { kind: 'devices.approve', filter: { serial: 'NOBODY' } },
      { kind: 'devices.approve', filter: { name: 'x' } },
      ...['\0', '\ud800', 'x\udc00'].flatMap((text) =>
        ['name', 'serial', 'serial_prefix'].map((field) => ({
          kind: 'devices.approve',
          filter: { [field]: field === 'name' ? `acme-brand/acme-classic/${text}` : text },
        })),
      ),
      { kind: 'devices.approve', ids: [] },
      { kind: 'devices.approve', ids: ['x'] },
      { kind: 'devices.approve', ids: unknownIds(1_001) },
      { kind: 'devices.approve', ids, reason: 'because' },
      { kind: 'devices.reject', ids },
      { kind: 'devices.reject', ids, reason: 'two\nlines' },
      { kind: 'devices.paint', ids },
    ]) {
      assert.equal((await make(approver, body)).status, 400, JSON.stringify(body).slice(0, 200))
    }
    assert.deepEqual((await manage(service, approver, 'GET', `/devices/${ids[0]}`)).body.status, 'pending')
  })

  test('Guarantee: a job sees and changes only what its author can', async () => {
    const { ids, model } = await waiting()
    const stranger = await managerToken(service, 'brand-manager other-brand')
    const [unknown = ''] = unknownIds(1)
    const id = await made(stranger, { kind: 'devices.approve', ids: [ids[0], unknown] })
    await run()
    const items = await outcomes(stranger, id)
    assert.deepEqual(
      items.map((item: { code: string; message: string; subject: string }) => [
        item.code,
        item.message.replace(item.subject, 'ID'),
      ]),
      Array(2).fill([items[0].code, items[0].message.replace(ids[0] ?? '', 'ID')]),
    )
    assert.equal(items[0].code, 'no-such-record')
    const none = await make(stranger, { kind: 'devices.approve', filter: { model: [model] }, expected: 2 })
    assert.deepEqual(none.body.error_list[0].extra, { expected: 2, found: 0 })

    const viewer = await managerToken(service, 'viewer acme-brand')
    for (const [token, kind] of [
      [viewer, 'devices.approve'],
      [approver, 'devices.release'],
      [approver, 'tokens.revoke'],
    ] as const) {
      const answer = await make(token, { kind, ids })
      assert.deepEqual([answer.status, refusalOf(answer).code], [403, 'permission-denied'], kind)
    }
    const readOnly = await managementToken(service, await addManager(service, 'operator'), {
      read_only: true,
    })
    assert.equal((await make(readOnly, { kind: 'devices.approve', ids })).status, 403)
    assert.equal((await manage(service, approver, 'GET', `/devices/${ids[0]}`)).body.status, 'pending')
  })

  test('shows a job to its author and to operators; for others it is missing', async () => {
    const { ids } = await waiting()
    const id = await made(approver, { kind: 'devices.approve', ids })
    const absent = randomUUID()
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/items'],
      ['POST', '/cancel'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      await assertMissing([id, absent], (one) =>
        manage(service, manager, method, `/jobs/${one}${path}`, { body }),
      )
      assert.equal((await manage(service, operator, method, `/jobs/${id}${path}`)).status, 200, path)
    }
    const idsIn = async (token: string) =>
      (await manage(service, token, 'GET', '/jobs')).body.jobs.map((job: { id: string }) => job.id)
    assert.ok(!(await idsIn(manager)).includes(id))
    assert.ok((await idsIn(approver)).includes(id))
    assert.equal((await idsIn(operator))[0], id)
    const page = await manage(service, operator, 'GET', '/jobs', { query: '?limit=1' })
    const next = await manage(service, operator, 'GET', '/jobs', {
      query: `?limit=1&cursor=${page.body.next}`,
    })
    assert.notEqual(next.body.jobs[0].id, id)
  })

  test('a cancelled job does nothing more, and is cancelled once', async () => {
    const { ids } = await waiting()
    const id = await made(approver, { kind: 'devices.approve', ids })
    const { headers } = await manage(service, approver, 'GET', `/jobs/${id}`)
    const ifMatch = { 'if-match': headers.get('etag') ?? assert.fail('no ETag') }
    const tried = await manage(service, approver, 'POST', `/jobs/${id}/cancel`, { query: '?dry_run=true' })
    assert.deepEqual([tried.status, tried.body.state], [200, 'cancelled'])
    assert.equal((await show(approver, id)).state, 'queued')
    const cancelled = await manage(service, approver, 'POST', `/jobs/${id}/cancel`, { headers: ifMatch })
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled'])
    assert.match(cancelled.body.note, /^Cancelled by person-/)
    await run()
    assert.deepEqual((await show(approver, id)).done, 0)
    assert.equal((await manage(service, approver, 'GET', `/devices/${ids[0]}`)).body.status, 'pending')
    const again = await manage(service, approver, 'POST', `/jobs/${id}/cancel`)
    assert.deepEqual([again.status, again.body], [200, cancelled.body])
    const late = await manage(service, approver, 'POST', `/jobs/${id}/cancel`, { headers: ifMatch })
    assert.equal(late.status, 412)
    assert.equal((await entriesAbout(id, 'job.end')).length, 1)
  })

  test('Guarantee: a job stops at its next batch once its author loses the permission', async () => {
    const { installation } = service
    const takeAway: Readonly<Record<string, (account: Account, token: string) => Promise<unknown>>> = {
      'no longer has the permission devices:decide': ({ id }) =>
        installation.grants.remove({ accountId: id, role: 'device-approver', brandId: 'acme-brand' }),
      'has been disabled since': ({ id }) => installation.accounts.disable(id, service.now()),
      'was revoked at': async (_account, token) => {
        const { session_id } = (await manage(service, token, 'GET', '/me')).body
        assert.equal((await manage(service, token, 'POST', `/me/tokens/${session_id}/revoke`)).status, 200)
      },
    }
    for (const [why, takeFrom] of Object.entries(takeAway)) {
      const account = await addManager(service, 'device-approver acme-brand')
      const token = await managementToken(service, account)
      const id = await made(token, { kind: 'devices.approve', ids: unknownIds(150) })
      let items = 0
      await run(async () => {
        if (++items === 50) await takeFrom(account, token)
        return true
      })
      const job = await show(operator, id)
      assert.deepEqual([job.state, job.done, job.refused], ['stopped', 0, 100], why)
      assert.match(job.note, new RegExp(why))
      assert.deepEqual((await outcomes(operator, id, '?outcome=open')).length, 50)
    }
  })

  test('Guarantee: two processes that run one job do each item once', async () => {
    const both = [await waiting(), await waiting()].flatMap(({ ids }) => ids)
    const id = await made(approver, { kind: 'devices.approve', ids: [...both, ...unknownIds(6)] })
    await Promise.all([run(), run(), run()])
    const job = await show(approver, id)
    assert.deepEqual([job.state, job.done, job.refused], ['done', 4, 6])
    for (const device of both) assert.equal((await entriesAbout(device, 'device.approve')).length, 1)
    assert.equal((await entriesAbout(id, 'job.end')).length, 1)
  })

  test('a dry run shows the outcome for the records, and leaves no trace', async () => {
    const { ids, model } = await waiting()
    const [first = ''] = ids
    await manage(service, approver, 'POST', `/devices/${first}/reject`, { body: { reason: 'no' } })
    const dry = { query: '?dry_run=true' }
    const reject = { kind: 'devices.reject', filter: { model: [model] }, reason: 'no' }
    const before = await manage(service, operator, 'GET', '/jobs')
    const { status, body, headers } = await make(approver, reject, dry)
    assert.deepEqual([status, headers.get('ratafia-dry-run'), headers.get('location')], [200, 'true', null])
    assert.deepEqual(body, {
      ...{ kind: 'devices.reject', total: 2, examined: 2, done: 1, unchanged: 1, refused: 0 },
      ...{ first: ids, first_refused: [] },
    })
    const revoking = await make(manager, { kind: 'devices.release', ids }, dry)
    assert.deepEqual([revoking.body.done, revoking.body.refused], [0, 2])
    assert.equal(revoking.body.first_refused[0].code, 'state-conflict')
    const approving = await make(approver, { kind: 'devices.approve', ids }, dry)
    assert.deepEqual([approving.body.done, approving.body.refused], [2, 0])
    assert.deepEqual((await manage(service, operator, 'GET', '/jobs')).body, before.body)
    assert.equal((await manage(service, approver, 'GET', `/devices/${ids[1]}`)).body.status, 'pending')
  })

  test('the preview and the job refuse the second of two devices that want the same serial number', async () => {
    const model = `bulk-${++models}`
    const modelText = await addAcmeModel(service.installation, model, {
      policy: { registration: 'approval' },
    })
    for (const name of ['device', 'device2'] as const) {
      const { status } = await register(service, { model, modelText, serial: 'TWIN', key: deviceKey(name) })
      assert.equal(status, 202)
    }
    const body = { kind: 'devices.approve', filter: { model: [`acme-brand/${model}`] } }
    const preview = (await make(approver, body, { query: '?dry_run=true' })).body
    assert.deepEqual([preview.done, preview.refused], [1, 1])
    assert.match(preview.first_refused[0].message, /wants the same serial number/)
    const id = await made(approver, body)
    await run()
    const [done, refused] = await outcomes(approver, id)
    assert.deepEqual(
      [done.outcome, refused.code, refused.subject],
      [...['done', 'state-conflict'], preview.first_refused[0].subject],
    )
  })

  test('bulk revocation requires a person who signed in recently', async () => {
    const account = await addManager(service, 'operator')
    const victims = await Promise.all([1, 2].map(() => addManager(service, 'viewer')))
    const sessions = await Promise.all(
      victims.map(async (victim) => {
        const token = await managementToken(service, victim)
        return { token, id: (await manage(service, token, 'GET', '/me')).body.session_id as string }
      }),
    )
    const body = { kind: 'tokens.revoke', ids: sessions.map(({ id }) => id) }
    const long = new Date(service.now().getTime() - 16 * 60_000).toISOString()
    const earlier = await managementToken(service, account, {}, { signedIn: `browser ${long}` })
    const late = await make(earlier, body)
    assert.deepEqual([late.status, late.body.error_list[0].code], [401, 'recent-sign-in-required'])
    const agent = await managementToken(service, account, {}, { signedIn: 'agent ci' })
    for (const kind of ['tokens.revoke', 'devices.revoke']) {
      assert.equal(refusalOf(await make(agent, { ...body, kind })).code, 'person-required')
    }
    const token = await managementToken(service, account)
    const id = await made(token, body)
    await run()
    assert.deepEqual([(await show(token, id)).done, (await show(token, id)).state], [2, 'done'])
    for (const one of sessions) assert.equal((await manage(service, one.token, 'GET', '/me')).status, 401)
  })

  test('an account can have two jobs at a time', async () => {
    const token = await managerToken(service, 'device-approver acme-brand')
    const jobs = [
      await made(token, { kind: 'devices.approve', ids: unknownIds(1) }),
      await made(token, { kind: 'devices.approve', ids: unknownIds(1) }),
    ]
    const third = await make(token, { kind: 'devices.approve', ids: unknownIds(1) })
    assert.deepEqual([third.status, refusalOf(third).code], [429, 'too-many-requests'])
    await manage(service, token, 'POST', `/jobs/${jobs[0]}/cancel`)
    await made(token, { kind: 'devices.approve', ids: unknownIds(1) })
    await run()
  })

  test('an account can have two jobs, however many it requests at once', async () => {
    const token = await managerToken(service, 'device-approver acme-brand')
    const asked = Array.from({ length: 8 }, () =>
      make(token, { kind: 'devices.approve', ids: unknownIds(1) }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [202, 202, 429, 429, 429, 429, 429, 429])
    await run()
  })

  test('a request repeated with its Idempotency-Key creates one job', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { kind: 'devices.approve', ids: unknownIds(1) }
    const first = await make(approver, body, { headers })
    const again = await make(approver, body, { headers })
    assert.deepEqual([again.status, again.body.id], [202, first.body.id])
    assert.equal(again.headers.get('location'), first.headers.get('location'))
    await run()
  })

  test('a request can wait for the end of a job', async () => {
    const { ids } = await waiting()
    const body = { kind: 'devices.approve', ids }
    const waits = make(approver, body, { headers: { prefer: 'respond-async, wait=20' } })
    await eventually('there is a job', async () => (await service.installation.jobs.active(1)).length > 0)
    await run()
    const waited = await waits
    assert.deepEqual([waited.status, waited.body.state, waited.body.done], [200, 'done', 2])
    assert.equal(waited.headers.get('preference-applied'), 'wait=20')
    const id = await made(approver, body)
    const asks = manage(service, approver, 'GET', `/jobs/${id}`, { query: '?wait=20' })
    await run()
    const { state, unchanged } = (await asks).body
    assert.deepEqual([state, unchanged], ['done', 2])
    assert.equal((await manage(service, approver, 'GET', `/jobs/${id}`, { query: '?wait=31' })).status, 400)
    const open = await make(approver, { ...body, ids: unknownIds(1) }, { headers: { prefer: 'wait=1' } })
    assert.deepEqual([open.status, open.body.state], [202, 'queued'])
    await run()
  })
})
