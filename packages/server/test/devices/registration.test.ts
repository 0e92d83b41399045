/**
 * Registration as snapd does it: request-id, serial, and invalid registrations (contract/devices.md 1.4 and
 * 2). Requests that are refused before the register is read are tested on one database.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { encode } from '@ratafia/assertions'
import { bucketOf } from '../../src/bucket.ts'
import { acmeFiles, vector } from '../support/brands.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  addAcmeModel,
  deviceKey,
  freshDeviceKey,
  getNonce,
  getRequestId,
  modelFile,
  postDevices,
  type RegisterInput,
  register,
  registered,
  serialRequest,
  streamOf,
  textOf,
  withAcme,
} from '../support/devices.ts'
import { call, refusalOf, testService } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const MEDIA_TYPE = 'application/x.ubuntu.assertion'

eachDatabase((kind, _open, fresh) => {
  const { testOnce } = onOne(kind)
  const service = testService(fresh, { RATAFIA_DEVICE_SERVICE_PATH: '/devices-of-ours/v2' })
  before(() => withAcme(service.installation))

  /** Returns a new model, so that each test has its own devices. */
  let models = 0
  const newModel = async (headers = {}): Promise<{ model: string; modelText: Uint8Array }> => {
    const model = `acme-${++models}`
    return { model, modelText: await addAcmeModel(service.installation, model, { headers }) }
  }
  const holderOf = (model: string, serial: string) =>
    service.installation.devices.findHolder({ brandId: ACME.brandId, model, serial })

  describe('request-id', () => {
    for (const path of [`${AUTH}/request-id`, '/devices-of-ours/v2/request-id']) {
      testOnce(`${path} accepts no body, or any small one`, async () => {
        const bodies = [
          {},
          { body: '' },
          { body: '{}' },
          { body: 'not json', headers: { 'content-type': 'text/x-whatever; a=b' } },
        ]
        const ids = new Set<string>()
        for (const options of bodies) {
          const { status, headers, body } = await call(service, 'POST', path, options)
          assert.deepEqual([status, Object.keys(body)], [200, ['request-id']])
          assert.equal(headers.get('content-type'), 'application/json')
          assert.equal(headers.get('cache-control'), 'no-store')
          assert.match(body['request-id'], /^[A-Za-z0-9_-]{20,}$/)
          ids.add(body['request-id'])
        }
        assert.equal(ids.size, bodies.length)
      })
    }

    test('writes nothing', async () => {
      const { query } = service.installation.database
      const count = async () => {
        const rows = await query.selectFrom('device_registration').select('device_id').execute()
        return rows.length
      }
      const before = await count()
      await getRequestId(service)
      assert.equal(await count(), before)
    })
  })

  describe('a serial', () => {
    test('identifies the device, is signed by the brand, and is in the register', async () => {
      const { model, modelText } = await newModel()
      const answer = await register(service, { model, modelText, serial: 'SN-1', body: 'mac: 1\n' })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.equal(answer.headers.get('content-type'), MEDIA_TYPE)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('snap-store-version'), '32')
      const { serial } = answer
      assert.ok(serial)
      assert.equal(textOf(encode(serial)), answer.text)
      assert.deepEqual(serial.primaryKey, [ACME.brandId, model, 'SN-1'])
      assert.deepEqual([serial.authorityId, serial.revision], [ACME.brandId, 0])
      assert.equal(serial.fields.deviceKeyId, deviceKey().publicKey.id)
      assert.equal(textOf(serial.body), 'mac: 1\n')
      const device = await holderOf(model, 'SN-1')
      assert.ok(device)
      assert.deepEqual(
        { ...device, id: undefined, registeredAt: undefined, decidedAt: undefined },
        {
          id: undefined,
          brandId: ACME.brandId,
          model,
          serial: 'SN-1',
          deviceKeyId: deviceKey().publicKey.id,
          bucket: bucketOf(deviceKey().publicKey.id),
          status: 'active',
          revision: 0,
          origin: 'registration',
          original: null,
          registeredAt: undefined,
          decidedAt: undefined,
          decidedBy: 'policy',
          reason: null,
          quarantinedAt: null,
        },
      )
      const [registration] = await service.installation.registrations.ofDevice(device, 2)
      assert.equal(registration?.caller.address, '127.0.0.1')
    })

    test('comes with account-key and account for serial-stream, otherwise alone', async () => {
      const { model, modelText } = await newModel()
      const alone = await register(service, { model, modelText })
      const withCapabilities = async (value: string) => {
        const requestHeaders = { 'Snap-Device-Capabilities': value }
        const { text } = await register(service, { model, modelText, requestHeaders })
        return text
      }
      const stream = streamOf(alone.text, textOf(acmeFiles.accountKey.bytes), textOf(acmeFiles.account.bytes))
      for (const value of [
        'serial-stream',
        'other, serial-stream',
        'serial-stream other',
        'a,serial-stream,b',
      ]) {
        assert.equal(await withCapabilities(value), stream, value)
      }
      for (const value of ['', 'serial-streams', 'x-serial-stream']) {
        assert.equal(await withCapabilities(value), alone.text, value)
      }
    })

    testOnce('is also issued at the path of a gadget, for any content type', async () => {
      const { model, modelText } = await newModel()
      const path = '/devices-of-ours/v2/serial'
      let first: string | undefined
      for (const type of [MEDIA_TYPE, `${MEDIA_TYPE}; charset=utf-8`, 'application/json', 'text/plain']) {
        const request = serialRequest({ requestId: await getRequestId(service), model })
        const headers = { 'content-type': type }
        const { status, text } = await postDevices(service, streamOf(request, modelText), { path, headers })
        assert.equal(status, 200)
        first ??= text
        assert.equal(text, first)
      }
    })

    testOnce('has a UUID if the service generates the number', async () => {
      const { model, modelText } = await newModel()
      assert.match((await registered(service, { model, modelText })).fields.serial, UUID)
    })
  })

  describe('a repeated registration', () => {
    test('returns the same serial byte for byte, even if the request-id has expired', async () => {
      const { model, modelText } = await newModel()
      const body = streamOf(serialRequest({ requestId: await getRequestId(service), model }), modelText)
      const first = await postDevices(service, body)
      assert.equal(first.status, 200)
      assert.equal((await postDevices(service, body)).text, first.text)
      service.advance(601_000)
      assert.equal((await postDevices(service, body)).text, first.text)
    })

    test("keeps the key's serial of a model, even if it proposes a different one later", async () => {
      const { model, modelText } = await newModel()
      const first = await register(service, { model, modelText, serial: 'SN-1' })
      for (const serial of ['SN-1', 'SN-2', undefined]) {
        const again = await register(service, {
          model,
          modelText,
          ...(serial ? { serial } : {}),
          body: 'new',
        })
        assert.equal(again.text, first.text)
      }
      assert.equal(await holderOf(model, 'SN-2'), undefined)
    })

    test('gives the same key a serial of each model', async () => {
      const [one, other] = [await newModel(), await newModel()]
      const serials = [await registered(service, one), await registered(service, other)]
      assert.notEqual(serials[0]?.fields.serial, serials[1]?.fields.serial)
    })
  })

  describe('a request-id', () => {
    const refused = async (input: RegisterInput) => refusalOf(await register(service, input))
    const used = {
      status: 400,
      code: 'invalid-nonce',
      message: 'The request-id was already used. Request a new one.',
    }

    test('works once: another key, serial number or body is refused', async () => {
      const { model, modelText } = await newModel()
      const requestId = await getRequestId(service)
      await registered(service, { model, modelText, requestId, serial: 'SN-1' })
      const key = await freshDeviceKey()
      assert.deepEqual(await refused({ model, modelText, requestId, serial: 'SN-2', key }), used)
      assert.deepEqual(await refused({ model, modelText, requestId, serial: 'SN-2' }), used)
      assert.deepEqual(await refused({ model, modelText, requestId, serial: 'SN-1', body: 'x' }), used)
      assert.equal(await holderOf(model, 'SN-2'), undefined)
    })

    test('is also used up by a known key', async () => {
      const { model, modelText } = await newModel()
      await registered(service, { model, modelText })
      const requestId = await getRequestId(service)
      await registered(service, { model, modelText, requestId })
      const key = await freshDeviceKey()
      assert.deepEqual(await refused({ model, modelText, requestId, key }), used)
    })

    test('is valid for 600 seconds', async () => {
      const { model, modelText } = await newModel()
      const [late, early] = [await getRequestId(service), await getRequestId(service)]
      service.advance(599_000)
      await registered(service, { model, modelText, requestId: early })
      service.advance(2_000)
      const key = await freshDeviceKey()
      assert.deepEqual(await refused({ model, modelText, requestId: late, key }), {
        ...used,
        message: 'The request-id has expired. Request a new one.',
      })
    })

    test('must come from this service, and not be a session nonce', async () => {
      const foreign = {
        ...used,
        message: 'This service did not issue the request-id. Request a new one.',
      }
      assert.deepEqual(await refused({ requestId: await getNonce(service) }), foreign)
      assert.deepEqual(await refused({ requestId: 'REQID-0001' }), foreign)
      const real = await postDevices(service, vector('valid/stream-registration').bytes)
      assert.deepEqual(refusalOf(real), foreign)
    })

    test('is not used up by a request that is refused', async () => {
      const { model, modelText } = await newModel()
      const requestId = await getRequestId(service)
      assert.equal(
        (await refused({ model, modelText, requestId, serial: 'a b' })).code,
        'registration-refused',
      )
      await registered(service, { model, modelText, requestId, serial: 'SN-1' })
    })
  })

  describe('an invalid registration', () => {
    const invalid = async (body: string | Uint8Array, message: RegExp | string) => {
      const refusal = refusalOf(await postDevices(service, body))
      assert.deepEqual([refusal.status, refusal.code], [400, 'invalid-assertion'], refusal.message)
      if (typeof message === 'string') assert.equal(refusal.message, message)
      else assert.match(refusal.message, message)
    }
    const requestText = async (headers = {}) =>
      textOf(serialRequest({ requestId: await getRequestId(service), headers }))

    testOnce('has a different number or order of assertions', async () => {
      const expected = 'invalid assertion: expected a serial-request assertion and then the model assertion.'
      const request = await requestText()
      await invalid('', expected)
      await invalid(request, expected)
      await invalid(
        streamOf(modelFile.bytes, request),
        'invalid assertion: expected a serial-request assertion, not model.',
      )
      await invalid(
        streamOf(request, request),
        'invalid assertion: expected a model assertion, not serial-request.',
      )
      const [account, key] = [acmeFiles.account.bytes, acmeFiles.accountKey.bytes]
      await invalid(
        streamOf(request, modelFile.bytes, account, key),
        /too many assertions in a stream: 4, and the limit is 3/,
      )
      await invalid(streamOf(request, modelFile.bytes, account), /^invalid assertion: a remodel needs /)
    })

    testOnce('has bytes that are not assertions', async () => {
      for (const body of ['x', '\n\n', 'type: x\n\n', Buffer.alloc(1000, 0xff), 'a'.repeat(200_000)]) {
        await invalid(body, /^invalid assertion: .*\.$/)
      }
    })

    test("Guarantee: an attacker can't register another device's key", async () => {
      const [request, other] = [await requestText(), await requestText()]
      const content = request.slice(0, request.lastIndexOf('\n\n'))
      const signature = other.slice(other.lastIndexOf('\n\n'))
      await invalid(
        streamOf(content + signature, modelFile.bytes),
        /^invalid assertion: could not validate serial-request assertion \(the signature of the serial-request does not match/,
      )
    })

    testOnce('has a model with an unknown signer, or a changed model', async () => {
      const changed = textOf(modelFile.bytes).replace(
        'classic: true',
        'classic: false\nbase: core24\narchitecture: amd64\ngadget: pc\nkernel: pc-kernel',
      )
      await invalid(streamOf(await requestText(), changed), /could not validate model assertion \(/)
      const request = serialRequest({
        requestId: await getRequestId(service),
        model: 'acme-core-24',
      })
      await invalid(
        streamOf(request, modelFile.bytes),
        'invalid assertion: the serial-request and the model assertion name different models.',
      )
    })

    testOnce('has a device key that is too small to be safe, or an outdated signature', async () => {
      const weak = { 'key-1024': /has 1024 bits.* Use RSA keys of 2048/, 'sig-sha1': /Sign with SHA-256/ }
      for (const [name, message] of Object.entries(weak)) {
        const request = vector(`noncanonical-accepted/${name}`).bytes
        await invalid(streamOf(request, modelFile.bytes), message)
      }
    })

    testOnce(
      'has a model that is not set up here, and gets the remedy; if only Canonical can sign, the reason',
      async () => {
        const request = serialRequest({ requestId: await getRequestId(service), model: 'acme-core-24' })
        const unknown = await postDevices(
          service,
          streamOf(request, vector('valid/model-acme-core-24').bytes),
        )
        assert.deepEqual(refusalOf(unknown), {
          status: 400,
          code: 'registration-refused',
          message:
            'This service does not register devices of acme-brand/acme-core-24. Its operator can add the model with `ratafia models add`.',
        })
        const generic = serialRequest({
          requestId: await getRequestId(service),
          model: 'generic-classic',
          headers: { 'brand-id': 'generic' },
        })
        const model = vector('canonical/model-generic-classic').bytes
        assert.deepEqual(refusalOf(await postDevices(service, streamOf(generic, model))), {
          status: 400,
          code: 'registration-refused',
          message:
            'Only Canonical signs serials of the brand generic, so generic/generic-classic cannot be registered here. Give the device a model of your own brand.',
        })
      },
    )
  })
})
