/**
 * Tests `kill -9` in the middle of a job of the management API: at every step, found by counting until none is left.
 * The quick run tests every eighth. Another process then continues.
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
const MOST_STEPS = 40

/** Returns the state of a job, after asserting that its outcomes, devices and entries agree. */
type Look = () => Promise<string>

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_SECRET_KEY: SECRET_KEY })
  // A server in another process may finish a statement although its client is gone.
  const when = kind === 'sqlite' ? 'before' : 'after'
  const stride = FULL ? 1 : 8
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

  /**
   * Kills a process at each step of a job. The next process continues an untouched job, and dies one step later. This
   * process finishes a job that has changed, and the next step is that of a new job. `expected` are the states that a
   * job can be in, from untouched to whole.
   */
  async function crashEverywhere(make: (step: number) => Promise<Look>, expected: readonly string[]) {
    const states = new Set<string>()
    let look: Look | undefined
    for (let step = 1, done = false; !done; step += stride) {
      assert.ok(step <= MOST_STEPS, 'it never ends')
      look ??= await make(step)
      done = await runDying(step)
      const state = await look()
      states.add(state)
      if (state === expected[0] && !done) continue
      await runJobs(async () => true, { ...service.installation, clock: service.now })
      assert.equal(await look(), expected.at(-1), `step ${step}`)
      look = undefined
    }
    const all = [...states]
    if (FULL) assert.deepEqual(all, expected)
    else assert.ok(all.length > 1 && all.every((state) => expected.includes(state)), all.join(', '))
  }

  const entriesOf = async (subject: string) => {
    const entries = await service.installation.audit.list({ subject }, { limit: 10 })
    return entries.map(({ action }) => action).reverse()
  }

  /** Creates a job that approves two devices that wait, and one that does not exist. */
  async function approve(step: number): Promise<Look> {
    const model = `approve-${step}`
    const policy = { registration: 'approval' } as const
    const modelText = await addAcmeModel(service.installation, model, { policy })
    for (const name of ['device', 'device2'] as const) {
      const wanted = { model, modelText, serial: name, key: deviceKey(name) }
      assert.equal((await register(service, wanted)).status, 202)
    }
    const devices = await service.installation.devices.list({ brandId: 'acme-brand', model, limit: 3 })
    const ids = [...devices.map((device) => device.id), newDeviceId(new Date())]
    const asked = await manage(service, token, 'POST', '/jobs', { body: { kind: 'devices.approve', ids } })
    assert.equal(asked.status, 202, JSON.stringify(asked.body))
    const { id } = asked.body
    return async () => {
      const { items } = (await manage(service, token, 'GET', `/jobs/${id}/items`)).body
      const { done, refused } = (await manage(service, token, 'GET', `/jobs/${id}`)).body
      const outcomes: readonly string[] = items.map(
        ({ outcome }: { outcome: string | null }) => outcome ?? 'open',
      )
      const counted = (outcome: string) => outcomes.filter((one) => one === outcome).length
      assert.deepEqual([done, refused], [counted('done'), counted('refused')])
      for (const [index, device] of devices.entries()) {
        const { status } = (await manage(service, token, 'GET', `/devices/${device.id}`)).body
        const approvals = (await entriesOf(device.id)).filter((action) => action === 'device.approve')
        const isDone = outcomes[index] === 'done'
        assert.deepEqual([status, approvals.length], isDone ? ['active', 1] : ['pending', 0])
      }
      return [...outcomes, ...(await entriesOf(id))].join(' ')
    }
  }

  test(`Guarantee: kill -9 ${when} any step of a job leaves each item whole or untouched; the next process continues`, () =>
    crashEverywhere(approve, [
      'open open open job.add',
      'done open open job.add',
      'done done open job.add',
      'done done refused job.add',
      'done done refused job.add job.end',
    ]))

  /** Creates a job with a file of three devices, ready to be imported. */
  async function importFile(step: number): Promise<Look> {
    const model = `import-${step}`
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
    return async () => {
      const { items } = (await manage(service, token, 'GET', `/jobs/${id}/items`)).body
      const { audit, database, devices } = service.installation
      const imported = await devices.list({ brandId: 'acme-brand', model, limit: 10 })
      const entries = await audit.list({ action: 'devices.import' }, { limit: 1_000 })
      const own = entries.filter(({ details }) => details.includes(id))
      const parts = await database.query.selectFrom('job_part').select('job_id').execute()
      const jobEntries = await entriesOf(id)
      assert.equal(parts.length, jobEntries.includes('job.end') ? 0 : 1)
      return [items[0].outcome ?? 'open', imported.length, own.length, ...jobEntries].join(' ')
    }
  }

  test(`Guarantee: kill -9 ${when} any step of an import leaves all of the file or nothing; the next process continues`, () =>
    crashEverywhere(importFile, ['open 0 0 job.add', 'done 3 1 job.add', 'done 3 1 job.add job.end']))
})
