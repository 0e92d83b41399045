/**
 * `kill -9` at every step of a registration; the steps are found by counting until there are no more. The quick run
 * tries every sixth.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { addApiKey } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  addAcmeModel,
  deviceKey,
  getRequestId,
  postDevices,
  register,
  registered,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { type DyingProcess, startDying } from '../support/dying-process.ts'
import { testService } from '../support/service.ts'

/** This test and its children form one installation. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
/** More than the number of steps. A higher number would be too many. */
const MOST_STEPS = 30

/** Statuses and revisions of the devices, newest first, and uses of the API keys. */
const NOTHING = JSON.stringify([[['active', 0]], [0]])
const EVERYTHING = JSON.stringify([
  [
    ['active', 1],
    ['superseded', 0],
  ],
  [1],
])

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_SECRET_KEY: SECRET_KEY })
  // A database server in another process can complete a statement although its client is gone.
  const when = kind === 'sqlite' ? 'before' : 'after'
  const stride = FULL ? 1 : 6
  const children = new Set<ChildProcess>()
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-crash-'))
    await withAcme(service.installation)
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })

  /** Starts a service that dies at this step. */
  async function serveDying(step: number): Promise<Dying> {
    const database = await fresh.target()
    const { child, ended } = startDying({ database, directory, secretKey: SECRET_KEY, step, when })
    children.add(child)
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    return { baseUrl: line.trim(), child, ended: ended.finally(() => children.delete(child)) }
  }

  interface Dying extends DyingProcess {
    readonly baseUrl: string
  }

  /** Returns the answer, if there was one. */
  async function answerOf({ baseUrl, child, ended }: Dying, body: string, headers: Record<string, string>) {
    const answer = await postDevices({ baseUrl }, body, { headers }).catch(() => undefined)
    if (answer) child.kill('SIGKILL')
    const { signal } = await ended
    assert.equal(signal, 'SIGKILL')
    return answer
  }

  /** Prepares a registration with as many changes as possible: a key that has its serial number is superseded. */
  async function prepare(step: number) {
    const model = `crash-${step}`
    const name = { brandId: ACME.brandId, model }
    const policy = { takenSerial: 'reissue' } as const
    const modelText = await addAcmeModel(service.installation, model, { policy })
    await registered(service, { model, modelText, serial: 'SN-1', key: deviceKey('device2') })
    const wanted = { model: name, label: 'line 1', expiresAt: null, useLimit: 1 }
    const headers = { 'api-key': (await addApiKey(wanted, service.installation)).text }
    const requestId = await getRequestId(service)
    const body = streamOf(serialRequest({ requestId, model, serial: 'SN-1' }), modelText)
    return { name, modelText, headers, body }
  }

  test(`Guarantee: kill -9 ${when} any step leaves a whole registration or none, and the retry gets one serial`, async () => {
    const { devices, apiKeys, clones } = service.installation
    let next = serveDying(1)
    const states = new Set<string>()
    let prepared: Awaited<ReturnType<typeof prepare>> | undefined
    for (let step = 1, done = false; !done; step += stride) {
      assert.ok(step <= MOST_STEPS, 'it never ends')
      const dying = await next
      // Starts while this one is checked.
      next = serveDying(step + stride)
      prepared ??= await prepare(step)
      const { name, modelText, headers, body } = prepared
      const answer = await answerOf(dying, body, headers)

      const usesOf = async () => (await apiKeys.list(name)).map(({ uses }) => uses)
      const rows = await devices.list({ ...name, limit: 10 })
      const state = JSON.stringify([rows.map(({ status, revision }) => [status, revision]), await usesOf()])
      assert.ok(state === NOTHING || state === EVERYTHING, `step ${step}: ${state}`)
      states.add(state)
      if (answer) assert.deepEqual([answer.status, state], [200, EVERYTHING])
      // The retry goes to the next process, which dies one step later.
      if (state === NOTHING) continue

      const retry = await postDevices(service, body, { headers })
      assert.equal(retry.status, 200, `step ${step}: ${JSON.stringify(retry.body)}`)
      if (answer) assert.equal(retry.text, answer.text)
      assert.equal((await register(service, { model: name.model, modelText })).text, retry.text)
      const [now, old, ...more] = await devices.list({ ...name, limit: 10 })
      assert.ok(now && old)
      assert.deepEqual([now.status, now.revision, old.status, more], ['active', 1, 'superseded', []])
      assert.equal((await devices.serialAssertionsOf(now)).length, 1)
      assert.deepEqual(await usesOf(), [1])
      assert.equal((await clones.evidenceOf(old)).length, 1)

      prepared = undefined
      done = answer !== undefined
      if (done) assert.ok(step > 10, `only ${step} steps`)
    }
    await next
    // It died both before and after the one moment when everything is stored.
    assert.deepEqual([...states].sort(), [EVERYTHING, NOTHING].sort())
  })
})
