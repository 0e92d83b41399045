/** The number of statements that a device's requests cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelPolicy } from '../../src/brands/models/model-policy.ts'
import { addApiKey } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  addAcmeModel,
  freshDeviceKeys,
  registered,
  sessionBody,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { call, type TestService } from '../support/service.ts'
import { hearsOfChanges, statementCounts, TIMES } from '../support/statements.ts'

eachDatabase((_kind, _open, fresh) => {
  const statementsDuring = statementCounts(fresh)

  /** Registers devices of a model, each with its own key, and with everything that the policy requires. */
  async function registerSome(service: TestService, model: string, policy: Partial<ModelPolicy> = {}) {
    const modelText = await addAcmeModel(service.installation, model, { policy })
    const name = { brandId: ACME.brandId, model }
    const strict = policy.registration === 'allow-list'
    const key = { model: name, label: 'factory', expiresAt: null, useLimit: null }
    const apiKey = strict ? (await addApiKey(key, service.installation)).text : undefined
    const devices = []
    for (const [index, deviceKey] of (await freshDeviceKeys(TIMES)).entries()) {
      const serial = `SN-${index}`
      if (strict) {
        await service.installation.allowList.add(name, [{ serial, deviceKeyId: null }], { at: service.now() })
      }
      const asked = { model, modelText, key: deviceKey, ...(strict && { serial }) }
      const requestHeaders = apiKey === undefined ? {} : { 'api-key': apiKey }
      devices.push({ ...asked, serial: await registered(service, { ...asked, requestHeaders }) })
    }
    return devices
  }

  test('a registration has a fixed number of statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      await withAcme(service.installation)
      await registerSome(service, 'plain')
    })
    assert.deepEqual(statementsOf(`POST ${AUTH}/devices`), [
      'begin',
      'commit',
      'insert audit_entry',
      'insert device',
      'insert device_registration',
      'insert serial_assertion',
      'insert serial_holder',
      'insert used_request_id',
      'select device',
      'select device_registration',
      'select model',
      'select model',
      'select signing_key',
    ])
  })

  test('a registration with an API key, a serial number and an allow-list has a fixed number of statements', async () => {
    const statementsOf = await statementsDuring((service) =>
      registerSome(service, 'strict', { registration: 'allow-list' }),
    )
    const statements = statementsOf(`POST ${AUTH}/devices`)
    assert.equal(statements.length, 18, statements.join())
  })

  test('a session and its refresh have a fixed number of statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      for (const device of await registerSome(service, 'sessions')) {
        const previous = await sessionOf(service, device)
        await sessionOf(service, { ...device, previous })
      }
    })
    assert.deepEqual(statementsOf(`POST ${AUTH}/sessions`), [
      'insert device_session',
      'select device_session',
    ])
  })

  test('concurrent sessions share their statements', async () => {
    const statementsOf = await statementsDuring(async (service) => {
      const devices = await registerSome(service, 'together')
      // While the machine is busy, requests sent at that moment cost more.
      for (let again = 0; again < 3; again++) {
        const bodies = await Promise.all(
          devices.map(({ key, serial, modelText }) => sessionBody(service, { key, serial, modelText })),
        )
        await hearsOfChanges(service)
        const all = bodies.map((body) => call(service, 'POST', `${AUTH}/sessions`, { body }))
        for (const { status } of await Promise.all(all)) assert.equal(status, 200)
      }
    })
    assert.deepEqual(statementsOf(`POST ${AUTH}/sessions`), [])
  })

  test('a nonce and a request-id have a fixed number of statements', async () => {
    const paths = [`${AUTH}/nonces`, `${AUTH}/request-id`]
    const statementsOf = await statementsDuring(async ({ baseUrl }) => {
      for (let i = 0; i < TIMES; i++) {
        for (const path of paths) await fetch(`${baseUrl}${path}`, { method: 'POST' })
      }
    })
    for (const path of paths) assert.deepEqual(statementsOf(`POST ${path}`), [])
  })
})
