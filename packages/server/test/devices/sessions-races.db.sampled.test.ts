/** Guarantee: concurrent requests for a session create one device and one session, and use a nonce once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, AUTH, getNonce, sessionBody, sessionRequest, textOf } from '../support/devices.ts'
import { acmeWithDevices } from '../support/own-devices.ts'
import { call, refusalOf, testService } from '../support/service.ts'

const MANY = FULL ? 100 : 10

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const { newDevice, holderOf, sessionsOf } = acmeWithDevices(service, 'S', 2)
  const post = (body: unknown) => call(service, 'POST', `${AUTH}/sessions`, { body })

  test(`${MANY} identical requests of an unknown device create one device and session, and get one answer`, async () => {
    const { key, serial } = newDevice()
    const body = await sessionBody(service, { serial, key })
    const answers = await Promise.all(Array.from({ length: MANY }, () => post(body)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map((answer) => answer.body.macaroon)).size, 1)
    const rows = await service.installation.devices.findBySerial({ ...ACME, serial: serial.fields.serial })
    assert.deepEqual([rows.length, rows[0]?.origin], [1, 'session'])
    assert.equal((await sessionsOf({ serial })).length, 1)
    assert.deepEqual(await service.installation.clones.evidenceOf(await holderOf({ serial })), [])
  })

  test(`one of ${MANY} different requests with one nonce works`, async () => {
    const { key, serial } = newDevice()
    const nonce = await getNonce(service)
    const body = await sessionBody(service, { serial, key, nonce })
    const bodies = Array.from({ length: MANY }, (_, index) => ({
      ...body,
      'device-session-request': textOf(
        sessionRequest({ nonce, serial: serial.fields.serial, key, headers: { more: `${index}` } }),
      ),
    }))
    const answers = await Promise.all(bodies.map((one) => post(one)))
    const good = answers.filter(({ status }) => status === 200)
    assert.equal(good.length, 1)
    for (const answer of answers) {
      if (answer === good[0]) continue
      const { status, code, message } = refusalOf(answer)
      assert.deepEqual([status, code], [400, 'invalid-nonce'])
      assert.match(message, /used/)
    }
    assert.equal((await sessionsOf({ serial })).length, 1)
  })
})
