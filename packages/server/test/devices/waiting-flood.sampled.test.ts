/** Guarantee: however many devices of one network wait for approval, the register keeps places for others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { decode } from '@ratafia/assertions'
import pLimit from 'p-limit'
import { FULL } from '../../../../tools/test/effort.ts'
import { waitForApproval } from '../../src/devices/registration/approval/wait-for-approval.ts'
import { TooManyRequests } from '../../src/errors.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  addAcmeModel,
  freshDeviceKeys,
  getRequestId,
  register,
  serialRequest,
  withAcme,
} from '../support/devices.ts'
import { testService } from '../support/service.ts'

const MODEL = 'waiting'
const someKeys = freshDeviceKeys(1)

eachDatabase((kind, _open, fresh) => {
  // PostgreSQL gets fewer: those over the limit are all refused in the same way.
  const devices = FULL ? (kind === 'sqlite' ? 10_000 : 3_000) : 60
  const service = testService(fresh, { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
  let modelText: Uint8Array
  before(async () => {
    await withAcme(service.installation)
    modelText = await addAcmeModel(service.installation, MODEL, { policy: { registration: 'approval' } })
  })

  test(`${devices} registrations from one /24 leave at most twice the limit of an address`, async () => {
    const name = { brandId: ACME.brandId, model: MODEL }
    const { waiting, models: stored } = service.installation
    const [key] = await someKeys
    assert.ok(key)
    const encoded = serialRequest({ requestId: await getRequestId(service), model: MODEL, key })
    const [request, model] = [decode(encoded), decode(modelText)]
    assert.ok(request.type === 'serial-request' && model.type === 'model')
    const known = (await stored.findOpen(name)) ?? assert.fail()
    const mostWaiting = FULL ? 500 : 10
    let refused = 0
    const askFrom = async (host: number) => {
      const deviceKeyId = randomBytes(48).toString('base64url')
      const registration = {
        request: { ...request, fields: { ...request.fields, deviceKeyId } },
        model,
        original: undefined,
        apiKey: undefined,
        caller: { address: `203.0.113.${host}`, userAgent: '' },
        requestIdHash: randomBytes(32),
        requestIdExpired: false,
        requestHash: randomBytes(32),
      }
      try {
        await waitForApproval(
          {
            registration,
            model: known,
            proposed: undefined,
            placeholder: undefined,
            use: undefined,
            hardwareKeyId: undefined,
          },
          { ...service.installation, change: byOperator(service.installation), mostWaiting },
        )
      } catch (error) {
        assert.ok(error instanceof TooManyRequests)
        refused++
      }
    }
    const hosts = Array.from({ length: devices }, (_, i) => i % 256)
    await pLimit(8).map(hosts, askFrom)
    assert.equal(await waiting.count(name, devices + 1), 2 * mostWaiting)
    assert.equal(refused, devices - 2 * mostWaiting)
    const requestHeaders = { 'x-forwarded-for': '198.51.100.7' }
    assert.equal((await register(service, { model: MODEL, modelText, key, requestHeaders })).status, 202)
  })
})
