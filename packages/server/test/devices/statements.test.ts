/**
 * How many statements a device's requests cost, so that none creeps in. Requests are repeated, and the cheapest counts:
 * on a slow machine a node may not know that it has heard of every change, and then it asks the database for more.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addApiKey } from '../../src/brands/models/api-keys/add-api-key.ts'
import type { ModelPolicy } from '../../src/brands/models/model-policy.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  addAcmeModel,
  freshDeviceKeys,
  registered,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { observedServices } from '../support/observed.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'
import type { TestService } from '../support/service.ts'

const TIMES = 8

eachDatabase((_kind, _open, fresh) => {
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())
  const observed = observedServices(fresh)

  /** The statements of the cheapest request to this path while a service does `work`. */
  async function statementsOf(
    path: string,
    work: (service: TestService) => Promise<unknown>,
  ): Promise<readonly string[]> {
    const service = await observed({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    const already = receiver.spans.length
    // Closing sends the spans that are left.
    await work(service).finally(() => service.close())
    const spans = receiver.spans.slice(already)
    const requests = spans.filter(({ name }) => name === `POST ${path}`)
    assert.ok(requests.length >= TIMES)
    const counts = requests.map(({ traceId }) =>
      spans.filter((span) => span.traceId === traceId && isStatement(span)),
    )
    const [cheapest = []] = counts.sort((a, b) => a.length - b.length)
    return cheapest.map(({ name }) => name).sort()
  }

  /** Registers devices of a model, each with a key of its own, and with what the policy asks for. */
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

  test('a registration', async () => {
    const statements = await statementsOf(`${AUTH}/devices`, async (service) => {
      await withAcme(service.installation)
      await registerSome(service, 'plain')
    })
    assert.deepEqual(statements, [
      'begin',
      'commit',
      'insert audit_entry',
      'insert device',
      'insert device_registration',
      'insert serial_assertion',
      'select device',
      'select device_registration',
      'select model',
      'select model',
      'select signing_key',
    ])
  })

  test('one with an API key, a serial number and an allow-list', async () => {
    const statements = await statementsOf(`${AUTH}/devices`, (service) =>
      registerSome(service, 'strict', { registration: 'allow-list' }),
    )
    assert.equal(statements.length, 16, statements.join())
  })

  test('a session and its refresh', async () => {
    const statements = await statementsOf(`${AUTH}/sessions`, async (service) => {
      for (const device of await registerSome(service, 'sessions')) {
        const previous = await sessionOf(service, device)
        await sessionOf(service, { ...device, previous })
      }
    })
    assert.deepEqual(statements, ['insert device_session', 'select device', 'select device_session'])
  })

  test('a nonce and a request-id', async () => {
    for (const path of [`${AUTH}/nonces`, `${AUTH}/request-id`]) {
      const statements = await statementsOf(path, async (service) => {
        for (let i = 0; i < TIMES; i++) await fetch(`${service.baseUrl}${path}`, { method: 'POST' })
      })
      assert.deepEqual(statements, [])
    }
  })
})

/** Once a second a request looks for new root keys. */
const isStatement = ({ attributes, name }: ReceivedSpan): boolean =>
  attributes['db.system.name'] !== undefined && name !== 'select root_key'
