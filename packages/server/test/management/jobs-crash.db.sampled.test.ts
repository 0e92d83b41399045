/**
 * Tests `kill -9` in the middle of a job of the management API: at every step, found by counting until none
 * is left. The quick run tests every eleventh. Another process then continues.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { FULL } from '../../../../tools/test/effort.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, deviceKey, register, withAcme } from '../support/devices.ts'
import { startDying } from '../support/dying-process.ts'
import { manage, managerToken } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
/** More than there are. If there were more, the job would have become too expensive. */
const MOST_STEPS = 150

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_SECRET_KEY: SECRET_KEY })
  // A server in another process may finish a statement although its client is gone.
  const when = kind === 'sqlite' ? 'before' : 'after'
  const stride = FULL ? 1 : 37
  let directory: string
  let token: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-jobs-'))
    await withAcme(service.installation)
    token = await managerToken(service, 'brand-manager acme-brand')
  })
  after(() => rm(directory, { recursive: true, force: true }))

  /** Runs the jobs in a process that dies at this step. Returns true if it never reached the step. */
  async function runDying(step: number): Promise<boolean> {
    const database = await fresh.target()
    const dying = startDying({ database, directory, secretKey: SECRET_KEY, step, when, work: 'jobs' })
    const { code, signal } = await dying.ended
    assert.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code ?? signal}`)
    return code === 0
  }

  /** Registers two devices that wait. */
  async function waiting(model: string): Promise<readonly string[]> {
    const modelText = await addAcmeModel(service.installation, model, {
      policy: { registration: 'approval' },
    })
    for (const [serial, key] of [
      ['C-1', deviceKey()],
      ['C-2', deviceKey('device2')],
    ] as const) {
      assert.equal((await register(service, { model, modelText, serial, key })).status, 202)
    }
    const query = `?model=acme-brand/${model}&sort=registered`
    const { body } = await manage(service, token, 'GET', '/devices', { query })
    return body.devices.map(({ id }: { id: string }) => id)
  }

  /** Asserts that the state of each device, its entries and its outcome agree. Returns the outcomes. */
  async function consistent(job: string, devices: readonly string[]): Promise<readonly string[]> {
    const { audit } = service.installation
    const { items } = (await manage(service, token, 'GET', `/jobs/${job}/items`)).body
    const { done, refused } = (await manage(service, token, 'GET', `/jobs/${job}`)).body
    const outcomes: readonly string[] = items.map(
      ({ outcome }: { outcome: string | null }) => outcome ?? 'open',
    )
    const counted = (outcome: string) => outcomes.filter((one) => one === outcome).length
    assert.deepEqual([done, refused], [counted('done'), counted('refused')])
    for (const [index, id] of devices.entries()) {
      const { status } = (await manage(service, token, 'GET', `/devices/${id}`)).body
      const entries = await audit.list({ subject: id, action: 'device.approve' }, { limit: 10 })
      const isDone = outcomes[index] === 'done'
      assert.deepEqual([status, entries.length], isDone ? ['active', 1] : ['pending', 0])
    }
    return outcomes
  }

  test(`Guarantee: kill -9 ${when} any step of a job leaves each item whole or untouched; the next process continues`, async () => {
    const states = new Set<string>()
    for (let step = 1, done = false; !done; step += stride) {
      assert.ok(step <= MOST_STEPS, 'it never ends')
      const devices = await waiting(`crash-${step}`)
      const ids = [...devices, newDeviceId(new Date())]
      const asked = await manage(service, token, 'POST', '/jobs', { body: { kind: 'devices.approve', ids } })
      assert.equal(asked.status, 202, JSON.stringify(asked.body))
      const { id } = asked.body
      done = await runDying(step)
      states.add((await consistent(id, devices)).join(' '))
      await runJobs(async () => true, { ...service.installation, clock: service.now })
      assert.deepEqual(await consistent(id, devices), ['done', 'done', 'refused'])
      const entries = await service.installation.audit.list({ subject: id }, { limit: 10 })
      assert.deepEqual(entries.map(({ action }) => action).sort(), ['job.add', 'job.end'])
    }
    assert.ok(states.has('open open open') && states.has('done done refused'), [...states].join(', '))
    assert.ok(states.size > 2, [...states].join(', '))
  })

  /** Creates a job with a file of three devices, ready to be imported. Returns it. */
  async function importing(model: string): Promise<string> {
    await addAcmeModel(service.installation, model)
    const rows = [1, 2, 3].map(
      (index) =>
        `acme-brand,${model},I-${index},${Buffer.alloc(48, `${model} ${index}`).toString('base64url')}`,
    )
    const body = { kind: 'devices.import', format: 'csv', parts: 1 }
    const { id } = (await manage(service, token, 'POST', '/jobs', { body })).body
    const sent = await fetch(`${service.baseUrl}/api/management/v1/jobs/${id}/parts/1`, {
      method: 'PUT',
      headers: { authorization: `Macaroon ${token}` },
      body: ['brand_id,model,serial,device_key_id', ...rows].join('\n'),
    })
    assert.equal(sent.status, 200)
    assert.equal((await manage(service, token, 'POST', `/jobs/${id}/start`, { body: {} })).status, 200)
    return id
  }

  test(`Guarantee: kill -9 ${when} any step of an import leaves all of the file or nothing; the next process continues`, async () => {
    const states = new Set<string>()
    for (let step = 1, done = false; !done; step += stride) {
      assert.ok(step <= MOST_STEPS, 'it never ends')
      const model = `import-${step}`
      const id = await importing(model)
      const look = async () => {
        const { items } = (await manage(service, token, 'GET', `/jobs/${id}/items`)).body
        const devices = await service.installation.devices.list({ brandId: 'acme-brand', model, limit: 10 })
        const entries = await service.installation.audit.list({ action: 'devices.import' }, { limit: 1_000 })
        const own = entries.filter(({ details }) => details.includes(id))
        return [items[0].outcome ?? 'open', devices.length, own.length].join(' ')
      }
      done = await runDying(step)
      states.add(await look())
      await runJobs(async () => true, { ...service.installation, clock: service.now })
      assert.equal(await look(), 'done 3 1')
      const { query } = service.installation.database
      assert.deepEqual(await query.selectFrom('job_part').select('job_id').execute(), [])
    }
    assert.deepEqual([...states].sort(), ['done 3 1', 'open 0 0'])
  })
})
