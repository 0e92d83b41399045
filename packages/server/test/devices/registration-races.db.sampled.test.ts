/** Concurrent registrations, on both databases: the constraints of the register decide, not the order of look-ups. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { PrivateKey } from '@ratafia/assertions'
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import {
  deviceKey,
  freshDeviceKeys,
  getRequestId,
  modelFile,
  postDevices,
  type RegistrationAnswer,
  register,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { newModels } from '../support/own-devices.ts'
import { refusalOf, testService } from '../support/service.ts'

/** More than two nodes sign at a time, which is 4 each, so that some registrations race and the others come later. */
const MANY = FULL ? 100 : 10
/** Generated once for all tests. */
const manyKeys = freshDeviceKeys(MANY)

eachDatabase((_kind, _open, fresh) => {
  // Two nodes on one database do not share a queue or a cache.
  const nodes = [testService(fresh), testService(fresh)] as const
  const [service] = nodes
  const node = (number: number) => nodes[number % nodes.length] ?? service
  let keys: readonly PrivateKey[]
  before(async () => {
    await withAcme(service.installation)
    keys = await manyKeys
  })

  const newModel = newModels(service, 'race')
  const counts = (answers: readonly RegistrationAnswer[]) => {
    const found: Record<number, number> = {}
    for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
    return found
  }
  const serialsOf = (answers: readonly RegistrationAnswer[]) =>
    new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text))

  test(`Guarantee: ${MANY} concurrent copies of a request register one device with one serial`, async () => {
    const { of, rows } = await newModel()
    const request = serialRequest({ requestId: await getRequestId(service), model: of.model })
    const body = streamOf(request, of.modelText)
    const answers = await Promise.all(Array.from({ length: MANY }, (_, i) => postDevices(node(i), body)))
    assert.deepEqual(counts(answers), { 200: MANY })
    assert.equal(serialsOf(answers).size, 1)
    const [device, ...more] = await rows()
    assert.ok(device)
    assert.deepEqual([device.status, device.revision, more], ['active', 0, []])
    assert.equal((await service.installation.devices.serialAssertionsOf(device)).length, 1)
  })

  test(`Guarantee: one of ${MANY} keys that request a serial number at once gets it`, async () => {
    const { of, rows } = await newModel()
    const answers = await Promise.all(keys.map((key, i) => register(node(i), { ...of, serial: 'SN-1', key })))
    assert.deepEqual(counts(answers), { 200: 1, 400: MANY - 1 })
    for (const answer of answers.filter(({ status }) => status === 400)) {
      assert.match(refusalOf(answer).message, /^The serial number SN-1 belongs to another device key\./)
    }
    assert.equal((await rows()).length, 1)
  })

  test(`Guarantee: one key that requests ${MANY} serial numbers at once gets one`, async () => {
    const { of, rows } = await newModel()
    const answers = await Promise.all(
      keys.map((_, i) => register(node(i), { ...of, serial: `SN-${i}`, key: deviceKey() })),
    )
    assert.deepEqual(counts(answers), { 200: MANY })
    assert.equal(serialsOf(answers).size, 1)
    assert.equal((await rows()).length, 1)
  })

  test('Guarantee: a request-id that many keys use at once works for one of them', async () => {
    const { of, rows } = await newModel()
    const requestId = await getRequestId(service)
    const answers = await Promise.all(keys.map((key, i) => register(node(i), { ...of, requestId, key })))
    assert.deepEqual(counts(answers), { 200: 1, 400: MANY - 1 })
    for (const answer of answers.filter(({ status }) => status === 400)) {
      assert.equal(refusalOf(answer).message, 'The request-id was already used. Request a new one.')
    }
    assert.equal((await rows()).length, 1)
  })

  test('Guarantee: if numbers are reissued, each revision is given once and one key has the number', async () => {
    const { of, rows } = await newModel({ takenSerial: 'reissue' })
    // Each number that is given makes all others sign again, so the work grows with the square of this number.
    const wanted = keys.slice(0, FULL ? 25 : 5)
    const answers = await Promise.all(
      wanted.map((key, i) => register(node(i), { ...of, serial: 'SN-1', key })),
    )
    // A request that loses every race has to be retried.
    const given = answers.flatMap(({ serial }) => (serial ? [serial] : []))
    assert.ok(
      answers.every(({ status }) => status === 200 || status === 503),
      JSON.stringify(counts(answers)),
    )
    const revisions = given.map(({ revision }) => revision).sort((a, b) => a - b)
    assert.deepEqual(
      revisions,
      revisions.map((_, i) => i),
    )
    const newest = given.find(({ revision }) => revision === revisions.length - 1)
    const active = (await rows()).filter(({ status }) => status === 'active')
    assert.deepEqual(
      active.map((device) => [device.deviceKeyId, device.revision]),
      [[newest?.fields.deviceKeyId, revisions.length - 1]],
    )
  })

  test('numbers of a template are given once', async () => {
    const { of } = await newModel({ serialTemplate: 'N{number:3}' })
    const answers = await Promise.all(keys.map((key, i) => register(node(i), { ...of, key })))
    assert.deepEqual(counts(answers), { 200: MANY })
    const numbers = answers.map(({ serial }) => serial?.fields.serial).sort()
    assert.deepEqual(
      numbers,
      keys.map((_, i) => `N${String(i + 1).padStart(3, '0')}`),
    )
  })

  test('a device that registers for approval many times at once waits once', async () => {
    const { of, rows } = await newModel({ registration: 'approval' })
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, i) => register(node(i), { ...of, serial: `SN-${i}` })),
    )
    assert.deepEqual(counts(answers), { 202: MANY })
    assert.equal((await rows()).length, 1)
  })
})

oneDatabase((_kind, _open, fresh) => {
  describe('a full queue', () => {
    const service = testService(fresh, { RATAFIA_SIGNING_QUEUE: '1' })
    before(() => withAcme(service.installation))

    test('answers 503 at once to one request too many, stores nothing, and the retry gets a serial', async () => {
      const keys = await freshDeviceKeys(20)
      const bodies = await Promise.all(
        keys.map(async (key) =>
          streamOf(serialRequest({ requestId: await getRequestId(service), key }), modelFile.bytes),
        ),
      )
      const answers = await Promise.all(bodies.map((body) => postDevices(service, body)))
      const busy = answers.filter(({ status }) => status === 503)
      assert.ok(busy.length > 0)
      assert.equal(answers.filter(({ status }) => status === 200).length, keys.length - busy.length)
      for (const answer of busy) {
        assert.equal(refusalOf(answer).code, 'service-unavailable')
        assert.equal(answer.headers.get('retry-after'), '1')
      }
      for (const [i, body] of bodies.entries()) {
        const { status, text } = await postDevices(service, body)
        assert.equal(status, 200)
        if (answers[i]?.status === 200) assert.equal(text, answers[i]?.text)
      }
    })
  })
})
