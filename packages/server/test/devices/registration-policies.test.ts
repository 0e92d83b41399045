/**
 * Which devices get a serial, depending on the operator's policy for the model (contract/devices.md, decisions 9, 11
 * and 12). Tests that need the register run on both databases, those that only read the request on one.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { encode, type PrivateKey } from '@ratafia/assertions'
import { signSerial } from '../../src/brands/keys/sign-serial.ts'
import { DEFAULT_POLICY, type ModelPolicy } from '../../src/brands/models/model-policy.ts'
import type { Device } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { approveDevice } from '../../src/devices/registration/approval/approve.ts'
import {
  addApiKey,
  addBrand,
  addSigningKey,
  allowRemodel,
  disableSigningKey,
  importAllowList,
  revokeApiKey,
  setPolicy,
} from '../support/as-operator.ts'
import { deciding } from '../support/authorities.ts'
import { acmeFiles, brandFiles } from '../support/brands.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  ACME,
  acmeModel,
  deviceKey,
  freshDeviceKey,
  getRequestId,
  postDevices,
  type RegisterInput,
  register,
  registered,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { newModels, remodelHeaders, type TestModel, withHardware } from '../support/own-devices.ts'
import { refusalOf, testService } from '../support/service.ts'

eachDatabase((kind, _open, fresh) => {
  const { testOnce, describeOnce } = onOne(kind)
  const service = testService(fresh)
  before(() => withAcme(service.installation))

  const newModel = newModels(service, 'policy')

  /** Returns the message of a refusal by the policy; nothing may be stored in the register. */
  const refused = async (input: RegisterInput, expected = /./) => {
    const { status, code, message } = refusalOf(await register(service, input))
    assert.deepEqual([status, code], [400, 'registration-refused'], message)
    assert.match(message, expected)
    return message
  }
  /** Returns the newest entry of the audit log about the device, and its details. */
  const logged = async (subject: string) => {
    const [entry] = await service.installation.audit.list({ subject }, { limit: 1 })
    return { action: entry?.action, details: JSON.parse(entry?.details ?? '{}') }
  }
  const decision = () => ({ at: service.now(), by: 'maria', reason: null })
  const approve = ({ id }: Device, serial?: string) =>
    approveDevice({ name: id, serial, authority: deciding('maria') }, service.installation)

  describe('a proposed serial', () => {
    testOnce('is necessary with `required`: an absent or empty one is refused', async () => {
      const { of, rows } = await newModel({ proposedSerial: 'required' })
      for (const input of [of, { ...of, serial: '' }]) {
        await refused(input, /^This model requires a serial number from the device/)
      }
      assert.deepEqual(await rows(), [])
      assert.equal((await registered(service, { ...of, serial: 'SN-1' })).fields.serial, 'SN-1')
    })

    testOnce('is accepted with `optional`; without one the service generates a number', async () => {
      const { of } = await newModel({ proposedSerial: 'optional', serialTemplate: 'AC-{number:4}' })
      assert.equal((await registered(service, { ...of, serial: 'SN-1' })).fields.serial, 'SN-1')
      const key = await freshDeviceKey()
      assert.equal((await registered(service, { ...of, key })).fields.serial, 'AC-0001')
    })

    testOnce('is replaced by a generated number with `ignored`', async () => {
      const { of, holder } = await newModel({ proposedSerial: 'ignored', serialTemplate: 'AC-{number}' })
      assert.equal((await registered(service, { ...of, serial: 'not strict!' })).fields.serial, 'AC-1')
      const key = await freshDeviceKey()
      assert.equal((await registered(service, { ...of, serial: 'None', key })).fields.serial, 'AC-2')
      const { details } = await logged((await holder('AC-2')).id)
      assert.equal(details['ignored-serial'], undefined)
    })

    test('makes the template skip its number', async () => {
      const { of } = await newModel({ serialTemplate: 'AC-{number}' })
      for (const serial of ['AC-1', 'AC-2', 'AC-4']) {
        await registered(service, { ...of, serial, key: await freshDeviceKey() })
      }
      const made: string[] = []
      for (let i = 0; i < 2; i++) {
        made.push((await registered(service, { ...of, key: await freshDeviceKey() })).fields.serial)
      }
      assert.deepEqual(made, ['AC-3', 'AC-5'])
    })

    const PLACEHOLDERS = [
      'None|null|NULL|N/A|n.a.|Unknown|undefined|Not Specified|Not Applicable|To Be Filled By O.E.M.',
      'To be filled by O.E.M|Default string|System Serial Number|Chassis Serial Number',
      'Base Board Serial Number|SerialNumber|O.E.M.|INVALID|(none)|0|00000000|0x00000000|0123456789',
      '1234567890|123456789|xxxxxxxx|FFFFFFFF|111111|00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF|--|...|03000200-0400-0500-0006-000700080009|nil|NaN|empty',
      'default|Not Available|not set|Not Provided|unspecified|No Serial|To be filled|Filled By O.E.M.|TBD',
      'todo|placeholder|No Serial Number|serial|BaseBoard Serial Number|Board Serial Number|System Serial',
      'Serial No.|Serial Num|Product Serial|Product Serial Number|0123456789ABCDEF|123456789abcdef',
      'ABCDEFGHIJ',
    ].flatMap((line) => line.split('|'))
    const warned = () => service.warnings.filter((warning) => warning.startsWith('the device '))
    const NUMBERS = ['1', '11', '1111', '12345', 'SN-0', 'A00000000', '000001', 'NONE-1', 'NULL0', 'NA-17']

    testOnce(
      'does not count if it is a firmware placeholder: each unit gets a number, which its history shows',
      async () => {
        const { of, rows } = await newModel({ serialTemplate: 'AC-{number}' })
        for (const [at, serial] of [...PLACEHOLDERS, 'None'].entries()) {
          const key = await freshDeviceKey()
          const given = (await registered(service, { ...of, serial, key })).fields.serial
          assert.equal(given, `AC-${at + 1}`, serial)
          const warning = `the device ${key.publicKey.id} of acme-brand/${of.model} proposed the serial number ${JSON.stringify(serial)}, which `
          assert.ok(warned().at(-1)?.startsWith(warning), warned().at(-1))
          const device = (await rows()).find((row) => row.deviceKeyId === key.publicKey.id) ?? assert.fail()
          assert.equal((await logged(device.id)).details['ignored-serial'], serial)
        }
        const { length } = warned()
        for (const serial of NUMBERS) {
          const key = await freshDeviceKey()
          assert.equal((await registered(service, { ...of, serial, key })).fields.serial, serial)
        }
        assert.equal(warned().length, length)
      },
    )

    test('is stored if it is a placeholder, with any characters', async () => {
      const { of, rows } = await newModel({ serialTemplate: 'AC-{number}' })
      for (const serial of [
        `x${'😀'.repeat(80)}`.slice(1),
        ` ${'😀'.repeat(80)}`,
        '\0'.repeat(8),
        '\0'.repeat(200),
      ]) {
        const key = await freshDeviceKey()
        assert.match((await registered(service, { ...of, serial, key })).fields.serial, /^AC-\d$/)
        const device = (await rows()).find((row) => row.deviceKeyId === key.publicKey.id) ?? assert.fail()
        const { 'ignored-serial': said } = (await logged(device.id)).details
        assert.ok(said !== '' && serial.startsWith(said) && said.isWellFormed(), said)
      }
    })

    testOnce('is also recorded for a waiting device if it is a placeholder', async () => {
      const { of, latest } = await newModel({ registration: 'approval' })
      assert.equal((await register(service, { ...of, serial: 'None' })).status, 202)
      const { action, details } = await logged((await latest()).id)
      assert.deepEqual([action, details['ignored-serial']], ['device.wait', 'None'])
    })

    testOnce('is refused by name if it is a placeholder and a number is required', async () => {
      const { of, rows } = await newModel({ proposedSerial: 'required' })
      for (const serial of ['None', '00000000', 'Default string']) {
        const message = await refused({ ...of, serial })
        assert.ok(message.includes(`but "${serial}" is a firmware placeholder`), message)
      }
      assert.deepEqual(await rows(), [])
    })

    test('is given if the operator put it on the allow-list, even if it looks like a placeholder', async () => {
      const { of, name } = await newModel({ registration: 'allow-list', proposedSerial: 'required' })
      const [key, other, third] = [await freshDeviceKey(), await freshDeviceKey(), await freshDeviceKey()]
      const list = `serial,device_key_id\n00000000,\nNONE,${key.publicKey.id}\n,${other.publicKey.id}\n`
      await importAllowList(list, { model: name, format: 'csv' }, service.installation)
      assert.equal((await registered(service, { ...of, serial: 'NONE', key })).fields.serial, 'NONE')
      await refused({ ...of, serial: 'NONE', key: other }, /is a firmware placeholder/)
      const zeros = await registered(service, { ...of, serial: '00000000', key: third })
      assert.equal(zeros.fields.serial, '00000000')
    })

    testOnce('is refused if newer snapd would reject it', async () => {
      const { of, rows } = await newModel()
      for (const serial of ['a b', '-a', 'a-', 'a--b', 'ä', 'a\u0000b', 'a.b', `${'xy'.repeat(64)}x`]) {
        await refused({ ...of, serial }, /^The proposed serial number is not valid\. /)
      }
      assert.deepEqual(await rows(), [])
      await registered(service, { ...of, serial: 'xy'.repeat(64) })
    })
  })

  describe('a serial number of another key', () => {
    test('is refused with `refuse`, and the attempt is recorded as evidence', async () => {
      const { of, holder, rows } = await newModel()
      await registered(service, { ...of, serial: 'SN-1' })
      const key = await freshDeviceKey()
      for (let times = 1; times <= 2; times++) {
        const requestHeaders = { 'user-agent': 'snapd/2.63' }
        assert.equal(
          await refused({ ...of, serial: 'SN-1', key, requestHeaders }),
          "The serial number SN-1 belongs to another device key. If it is this device's, ask the operator.",
        )
        const device = await holder('SN-1')
        assert.equal(device.deviceKeyId, deviceKey().publicKey.id)
        const [evidence, ...more] = await service.installation.clones.evidenceOf(device)
        assert.deepEqual(more, [])
        assert.deepEqual(
          [evidence?.kind, evidence?.subject, evidence?.times, evidence?.details],
          ['second-key', key.publicKey.id, times, { address: '127.0.0.1', 'user-agent': 'snapd/2.63' }],
        )
      }
      assert.equal((await rows()).length, 1)
    })

    test('is given to the new key with `reissue`, with the next revision, and the old key loses it', async () => {
      const { of, holder, rows } = await newModel({ takenSerial: 'reissue' })
      const keys = [deviceKey(), await freshDeviceKey(), await freshDeviceKey()]
      for (const [revision, key] of keys.entries()) {
        const serial = await registered(service, { ...of, serial: 'SN-1', key })
        assert.deepEqual(
          [serial.fields.serial, serial.fields.deviceKeyId, serial.revision],
          ['SN-1', key.publicKey.id, revision],
        )
        const device = await holder('SN-1')
        assert.deepEqual([device.deviceKeyId, device.revision], [key.publicKey.id, revision])
      }
      await refused(
        { ...of, serial: 'SN-1' },
        /^Another device key now has the serial number of this device\./,
      )
      await refused(of, /^Another device key now has/)
      const statuses = (await rows()).map(({ status }) => status)
      assert.deepEqual(statuses, ['active', 'superseded', 'superseded'])
      const [, second, first] = await rows()
      assert.ok(second && first)
      assert.equal(second.decidedBy, 'policy')
      assert.ok(second.reason?.includes(keys[2]?.publicKey.id ?? '?'), String(second.reason))
      for (const device of [first, second]) {
        assert.equal((await service.installation.clones.evidenceOf(device)).length, 1)
      }
    })

    test('Guarantee: a revoked or quarantined device keeps its number, even with `reissue`', async () => {
      const { of, holder } = await newModel({ takenSerial: 'reissue' })
      const { devices } = service.installation
      await registered(service, { ...of, serial: 'SN-1' })
      const device = await holder('SN-1')
      const key = await freshDeviceKey()
      await devices.setQuarantine(device, service.now())
      await refused({ ...of, serial: 'SN-1', key }, /belongs to another device key/)
      await devices.setQuarantine(device, null)
      await devices.revoke(device, decision())
      await refused({ ...of, serial: 'SN-1', key }, /belongs to a device that is revoked/)
      await refused({ ...of, serial: 'SN-1' }, /^This device is revoked: /)
      await refused({ ...of, serial: 'SN-2' }, /^This device is revoked: /)
    })
  })

  test('a device that was imported without its assertion gets one with a higher revision', async () => {
    const model = await newModel({ registration: 'allow-list', proposedSerial: 'required' })
    for (const [i, revision] of [null, 4].entries()) {
      const key = await freshDeviceKey()
      const device = newDevice({
        ...model.name,
        serial: `SN-${i}`,
        deviceKeyId: key.publicKey.id,
        status: 'active',
        revision,
        origin: 'import',
        registeredAt: service.now(),
        decidedAt: service.now(),
        decidedBy: 'import',
      })
      assert.ok(await service.installation.devices.add(device))
      const answers = await Promise.all([1, 2, 3].map(() => register(service, { ...model.of, key })))
      const [first] = answers
      assert.equal(first?.serial?.fields.serial, `SN-${i}`)
      assert.equal(first.serial.revision, (revision ?? -1) + 1)
      for (const { text } of answers) assert.equal(text, first.text)
      assert.equal((await model.holder(`SN-${i}`)).revision, first.serial.revision)
    }
  })

  describe('auto, allow-list, approval', () => {
    test('allow-list entries match by serial number, by device key, or by both together', async () => {
      const { of, name, rows } = await newModel({ registration: 'allow-list' })
      const keys = await Promise.all([1, 2, 3].map(() => freshDeviceKey()))
      const [one, two, three] = keys as [PrivateKey, PrivateKey, PrivateKey]
      const list = `serial,device_key_id\nSN-1,\n,${one.publicKey.id}\nSN-2,${two.publicKey.id}\n`
      await importAllowList(list, { model: name, format: 'csv' }, service.installation)
      assert.equal(
        await refused({ ...of, key: three }),
        `This device is not on the allow-list of its model. Ask the operator to import the device key ${three.publicKey.id}.`,
      )
      await refused({ ...of, key: three, serial: 'SN-2' }, /import the serial number SN-2 or/)
      await refused({ ...of, key: two }, /not on the allow-list/)
      assert.deepEqual(await rows(), [])
      await registered(service, { ...of, key: three, serial: 'SN-1' })
      await registered(service, { ...of, key: one })
      await registered(service, { ...of, key: two, serial: 'SN-2' })
    })

    test('approval answers 202 until the device is approved, with the same request-id for as long as needed', async () => {
      const { of, rows } = await newModel({ registration: 'approval' })
      const request = serialRequest({
        requestId: await getRequestId(service),
        model: of.model,
        serial: 'SN-1',
        body: 'kept: yes\n',
      })
      const body = streamOf(request, of.modelText)
      for (let poll = 0; poll < 3; poll++) {
        const { status, text, headers } = await postDevices(service, body)
        assert.deepEqual([status, text, headers.get('content-length')], [202, '', '0'])
        service.advance(400_000)
      }
      // snapd after a restart sends the same key with a new request-id.
      assert.equal((await register(service, { ...of, serial: 'SN-1' })).status, 202)
      const [device, ...more] = await rows()
      assert.ok(device)
      assert.deepEqual(more, [])
      assert.deepEqual([device.status, device.serial], ['pending', 'SN-1'])
      assert.deepEqual(
        Buffer.from((await service.installation.devices.findRequest(device)) ?? []),
        Buffer.from(request),
      )
      await approve(device)
      const [assertion] = await service.installation.devices.serialAssertionsOf(device)
      assert.ok(assertion)
      const first = await postDevices(service, body)
      assert.equal(first.status, 200)
      assert.equal(first.text, Buffer.from(assertion.encoded).toString())
      assert.equal(Buffer.from(first.serial?.body ?? []).toString(), 'kept: yes\n')
      assert.equal((await register(service, of)).text, first.text)
      const [active] = await rows()
      assert.deepEqual([active?.status, active?.decidedBy, active?.revision], ['active', 'maria', 0])
    })

    test('approval uses a generated number, or one that the operator gives', async () => {
      const { of, latest } = await newModel({ registration: 'approval', serialTemplate: 'AC-{number}' })
      const serials: string[] = []
      for (const serial of [undefined, 'GIVEN']) {
        const key = await freshDeviceKey()
        assert.equal((await register(service, { ...of, key })).status, 202)
        const device = await latest()
        await approve(device, serial)
        serials.push((await registered(service, { ...of, key })).fields.serial)
      }
      assert.deepEqual(serials, ['AC-1', 'GIVEN'])
    })

    test('approval gives a rejected device the reason, and it can be approved later', async () => {
      const { of, latest } = await newModel({ registration: 'approval' })
      const body = streamOf(
        serialRequest({ requestId: await getRequestId(service), model: of.model }),
        of.modelText,
      )
      assert.equal((await postDevices(service, body)).status, 202)
      const device = await latest()
      await service.installation.devices.reject(device, { ...decision(), reason: 'Not one of ours' })
      const message = 'The operator rejected this device: Not one of ours.'
      for (let poll = 0; poll < 2; poll++) {
        assert.equal(refusalOf(await postDevices(service, body)).message, message)
      }
      assert.equal(await refused(of), message)
      const rejected = await latest()
      await approve(rejected)
      assert.equal((await postDevices(service, body)).status, 200)
      assert.equal((await approve(rejected)).before, true)
      await assert.rejects(approve(rejected, 'ANOTHER'), {
        code: 'state-conflict',
        message: /, active\) is not pending\.$/,
      })
    })

    test('approval lets two devices wait for one number, and the second to be approved needs another', async () => {
      const { of, rows } = await newModel({ registration: 'approval' })
      const keys = [deviceKey(), await freshDeviceKey()]
      for (const key of keys) {
        assert.equal((await register(service, { ...of, serial: 'SN-1', key })).status, 202)
      }
      const [second, first] = await rows()
      assert.ok(first && second)
      const approvals = await Promise.allSettled([first, second].map((device) => approve(device)))
      const [failure, ...others] = approvals.filter(({ status }) => status === 'rejected')
      assert.deepEqual(others, [])
      assert.ok(failure?.status === 'rejected')
      assert.match(String(failure.reason), /SN-1 belongs to the device \S+, which is active\. Choose another/)
      const waiting = (await rows()).find(({ status }) => status === 'pending')
      assert.ok(waiting)
      await approve(waiting, 'SN-2')
      const third = await freshDeviceKey()
      await refused({ ...of, serial: 'SN-1', key: third }, /belongs to another device key/)
    })

    testOnce('approval answers 503 when 10,000 devices of the model are waiting', async () => {
      const { of, name, latest } = await newModel({ registration: 'approval' })
      await register(service, of)
      const { query } = service.installation.database
      const [first] = await query.selectFrom('device').selectAll().where('model', '=', name.model).execute()
      assert.ok(first)
      const elsewhere = { waits_in_narrow: null, waits_in_middle: null, waits_in_wide: null }
      for (let start = 1; start < 10_000; start += 1111) {
        const more = Array.from({ length: 1111 }, (_, i) => `${start + i}`)
        await query
          .insertInto('device')
          .values(
            more.map((id) => ({ ...first, ...elsewhere, id: `${name.model}-${id}`, device_key_id: id })),
          )
          .execute()
      }
      const key = await freshDeviceKey()
      assert.equal(refusalOf(await register(service, { ...of, key })).status, 503)
      assert.equal((await register(service, of)).status, 202)
      const waiting = await latest()
      await service.installation.devices.reject(waiting, { ...decision(), reason: 'No' })
      assert.equal((await register(service, { ...of, key })).status, 202)
    })

    testOnce('approval refuses a request over 64 KiB', async () => {
      const { of, rows } = await newModel({ registration: 'approval' })
      const message = /larger than 64 KiB, the limit for requests that wait for approval/
      await refused({ ...of, body: 'x'.repeat(64 * 1024) }, message)
      assert.deepEqual(await rows(), [])
    })
  })

  describe('an API key', () => {
    const withKey = (text: string | undefined, input: RegisterInput): RegisterInput =>
      text === undefined ? input : { ...input, requestHeaders: { 'Api-Key': text } }
    const unauthorized = async (input: RegisterInput) => {
      const { status, headers, body } = await register(service, input)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'ApiKey realm="Ratafia"'])
      assert.equal(body.error_list[0].code, 'invalid-api-key')
      return body.error_list[0].message
    }
    const keyFor = (model: TestModel, useLimit: number | null = null) =>
      addApiKey({ model: model.name, label: 'line 1', expiresAt: null, useLimit }, service.installation)

    testOnce('is required from the first request, and a wrong one counts as none', async () => {
      const model = await newModel()
      const other = await newModel()
      await registered(service, withKey('whatever', { ...model.of, key: await freshDeviceKey() }))
      const { text, key } = await keyFor(model)
      const { text: foreign } = await keyFor(other)
      assert.match(await unauthorized(model.of), /^This model requires an API key\./)
      for (const wrong of [foreign, `'${text}'`, '', 'x'.repeat(5000)]) {
        assert.equal(
          await unauthorized(withKey(wrong, model.of)),
          'The API key does not belong to this model.',
        )
      }
      await registered(service, withKey(text, model.of))
      await revokeApiKey(key.id, service.installation)
      const next = await freshDeviceKey()
      assert.match(await unauthorized(withKey(text, { ...model.of, key: next })), /is revoked\./)
    })

    test('is counted only when a new device registers', async () => {
      const model = await newModel({ proposedSerial: 'required' })
      const { text, key } = await keyFor(model, 2)
      const uses = async () =>
        (await service.installation.apiKeys.list(model.name)).find(({ id }) => id === key.id)?.uses
      await refused(withKey(text, model.of))
      assert.equal(await uses(), 0)
      await registered(service, withKey(text, { ...model.of, serial: 'SN-1' }))
      await registered(service, { ...model.of, serial: 'SN-1' })
      await registered(service, withKey('wrong', model.of))
      assert.equal(await uses(), 1)
      const [second, third] = [await freshDeviceKey(), await freshDeviceKey()]
      await registered(service, withKey(text, { ...model.of, serial: 'SN-2', key: second }))
      const input = withKey(text, { ...model.of, serial: 'SN-3', key: third })
      assert.equal(await unauthorized(input), 'The API key was used 2 times, which is its limit.')
      assert.equal(await uses(), 2)
    })

    test('Guarantee: a key for 5 devices registers 5, however many register at once', async () => {
      const model = await newModel()
      const { text } = await keyFor(model, 5)
      const keys = await Promise.all(Array.from({ length: 12 }, () => freshDeviceKey()))
      const answers = await Promise.all(
        keys.map((key) => register(service, withKey(text, { ...model.of, key }))),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(7).fill(401)])
      assert.equal((await model.rows()).length, 5)
    })

    test('is counted with approval when the device registers, not when it polls or is approved', async () => {
      const model = await newModel({ registration: 'approval' })
      const { text } = await keyFor(model, 1)
      for (let poll = 0; poll < 3; poll++) {
        assert.equal((await register(service, withKey(text, model.of))).status, 202)
      }
      const device = await model.latest()
      await approve(device)
      await registered(service, withKey(text, model.of))
    })
  })

  describe('the key that is built into the hardware', () => {
    const hardware = withHardware(service)
    const prove = (requestId: string, changes: Record<string, unknown> = {}) =>
      JSON.stringify({ ...hardware.proof(requestId), ...changes })

    test('signs the request-id, found by either digest, and is in the audit log of each device', async () => {
      const { name, of, rows } = await newModel({ hardwareIdentity: true })
      const bodies = [
        (requestId: string) => prove(requestId),
        (requestId: string) =>
          prove(requestId, {
            'hardware-id-key-sha3-384': undefined,
            'hardware-id-key-sha384': hardware.identity().keySha2,
          }),
      ]
      for (const body of bodies) {
        const requestId = await getRequestId(service)
        const input = { ...of, key: await freshDeviceKey(), requestId, body: body(requestId) }
        assert.equal(Buffer.from((await registered(service, input)).body).toString(), input.body)
      }
      await setPolicy(name, { registration: 'approval' }, service.installation)
      const requestId = await getRequestId(service)
      const waiting = { ...of, key: await freshDeviceKey(), requestId, body: prove(requestId) }
      assert.equal((await register(service, waiting)).status, 202)
      const entries = await Promise.all((await rows()).map(({ id }) => logged(id)))
      const keys = entries.map(({ action, details }) => [action, details['hardware-key']])
      assert.deepEqual(keys, [
        ['device.wait', hardware.identity().keySha3],
        ['device.register', hardware.identity().keySha3],
        ['device.register', hardware.identity().keySha3],
      ])
    })

    testOnce(
      'is required: a request without a body, known hardware or a signature of this request-id is refused',
      async () => {
        const { of, rows } = await newModel({ hardwareIdentity: true })
        for (const body of ['', 'serial: 1\n', '{}', '[]', 'null', '{"hardware-id-key-sha384":1}']) {
          await refused({ ...of, body }, /^This model requires proof of the hardware key/)
        }
        const requestId = await getRequestId(service)
        const unknown = prove(requestId, { 'hardware-id-key-sha3-384': 'x'.repeat(64) })
        await refused({ ...of, requestId, body: unknown }, /does not know the hardware/)
        for (const signature of ['', 'not base64!', 'AAAA']) {
          const body = prove(requestId, { 'request-id-signature': signature })
          await refused({ ...of, requestId, body }, /^The hardware of this device could not be verified/)
        }
        await refused({ ...of, body: prove(requestId) }, /is not signed with the key of hardware/)
        assert.deepEqual(await rows(), [])
      },
    )
  })

  describe('a remodel', () => {
    const twoModels = async (policy: Partial<ModelPolicy> = {}) => {
      const [from, to] = [await newModel(), await newModel(policy)]
      await allowRemodel({ from: from.name, to: to.name }, service.installation)
      return { from, to }
    }

    test('gives the same device key a different model, and the register keeps the original', async () => {
      const { from, to } = await twoModels()
      const original = await registered(service, { ...from.of, serial: 'SN-1' })
      const input = {
        ...to.of,
        serial: 'SN-1',
        original: encode(original),
        headers: remodelHeaders(from.name, 'SN-1'),
      }
      const serial = await registered(service, input)
      assert.deepEqual(serial.primaryKey, [ACME.brandId, to.name.model, 'SN-1'])
      assert.equal(serial.fields.deviceKeyId, original.fields.deviceKeyId)
      const device = await to.holder('SN-1')
      assert.equal(device.original, `${ACME.brandId}/${from.name.model}/SN-1`)
      assert.equal((await from.holder('SN-1')).status, 'active')
    })

    testOnce('accepts a serial that was signed elsewhere, if its chain is valid', async () => {
      const { from, to } = await twoModels()
      const input = { ...from.name, serial: 'OLD_1', deviceKey: deviceKey().publicKey, revision: 3 }
      const original = encode((await signSerial(input, service.installation)).assertion)
      const forged = Buffer.from(Buffer.from(original).toString().replace('revision: 3', 'revision: 4'))
      const headers = remodelHeaders(from.name, 'OLD_1')
      const refusal = refusalOf(await register(service, { ...to.of, original: forged, headers }))
      assert.equal(refusal.code, 'invalid-assertion')
      assert.match(
        refusal.message,
        /could not validate the original serial assertion \(the signature of the serial does not match/,
      )
      await registered(service, { ...to.of, original, headers })
    })

    testOnce(
      'requires all parts: three headers and the serial that they name, for the same device key',
      async () => {
        const { from, to } = await twoModels()
        const original = encode(await registered(service, { ...from.of, serial: 'SN-1' }))
        const headers = remodelHeaders(from.name, 'SN-1')
        const invalid = async (input: RegisterInput, message: RegExp) => {
          const refusal = refusalOf(await register(service, { ...to.of, ...input }))
          assert.deepEqual([refusal.status, refusal.code], [400, 'invalid-assertion'])
          assert.match(refusal.message, message)
        }
        await invalid({ original }, /^invalid assertion: a remodel needs original-brand-id/)
        await invalid({ headers }, /^invalid assertion: a remodel needs original-brand-id/)
        for (const missing of Object.keys(headers)) {
          const { [missing]: _, ...rest } = headers
          await invalid({ original, headers: rest }, /a remodel needs/)
        }
        await invalid(
          { original, headers: { ...headers, 'original-serial': 'SN-2' } },
          /does not match the headers/,
        )
        await invalid({ original, headers, key: await freshDeviceKey() }, /has a different device key/)
        await invalid({ original: to.of.modelText, headers }, /expected a serial assertion, not model/)
        assert.deepEqual(await to.rows(), [])
      },
    )

    test('requires permission from the operator, and an active device', async () => {
      const [from, to] = [await newModel(), await newModel()]
      const original = encode(await registered(service, { ...from.of, serial: 'SN-1' }))
      const input = { ...to.of, original, headers: remodelHeaders(from.name, 'SN-1') }
      await refused(input, /can't become acme-brand\/policy-\d+\. The operator can allow it with/)
      await allowRemodel({ from: from.name, to: to.name }, service.installation)
      const device = await from.holder('SN-1')
      const { devices } = service.installation
      await devices.setQuarantine(device, service.now())
      await refused(input, /^The original serial cannot be used: its device is in quarantine/)
      await devices.setQuarantine(device, null)
      await devices.revoke(device, decision())
      await refused(input, /^The original serial cannot be used: its device is revoked\.$/)
      assert.deepEqual(await to.rows(), [])
    })

    test('is refused with a serial that another key got', async () => {
      const from = await newModel({ takenSerial: 'reissue' })
      const to = await newModel()
      await allowRemodel({ from: from.name, to: to.name }, service.installation)
      const original = encode(await registered(service, { ...from.of, serial: 'SN-1' }))
      await registered(service, { ...from.of, serial: 'SN-1', key: await freshDeviceKey() })
      const input = { ...to.of, original, headers: remodelHeaders(from.name, 'SN-1') }
      await refused(input, /its device is superseded\.$/)
    })
  })

  describeOnce('the signer', () => {
    test('if no key fits, the device is told to ask and the operator gets the reason; with a key it works again', async () => {
      const { of, rows } = await newModel()
      const { keyId } = await addAcmeKey()
      await disableSigningKey({ keyId, force: true }, service.installation)
      const message = await refused({ ...of, serial: 'SN-1' })
      assert.match(
        message,
        /^This service has no key that can sign serials of acme-brand\/policy-\d+ now\. Its operator can find the reason with `ratafia models show acme-brand\/policy-\d+` and in the log\.$/,
      )
      assert.deepEqual(await rows(), [])
      await addAcmeKey()
      await registered(service, { ...of, serial: 'SN-1' })
    })

    /** Adds the brand's own key again. */
    const addAcmeKey = () =>
      addSigningKey(
        { accountKey: acmeFiles.accountKey, signingKey: acmeFiles.signingKey },
        service.installation,
      )

    test('can be an account that the model names, unless the device would reject its signature', async () => {
      const named = await newModel({}, { 'serial-authority': ['generic'] })
      await addBrand(brandFiles('generic', 'generic'), service.installation)
      const { keyId } = await addAcmeKey()
      await disableSigningKey({ keyId, force: true }, service.installation)
      try {
        const requestHeaders = { 'snap-device-capabilities': 'serial-stream' }
        const { text, serial } = await register(service, { ...named.of, requestHeaders })
        assert.equal(serial?.authorityId, 'generic')
        assert.match(text, /\naccount-id: generic\n/)
        // The assertion before it named another account as a signer of its serials.
        const modelText = acmeModel(named.of.model)
        const key = await freshDeviceKey()
        assert.equal(
          await refused({ ...named.of, key, modelText }),
          'The device would not accept a serial signed by generic: its model assertion does not name it as a serial-authority. Update the model assertion of the device.',
        )
      } finally {
        await addAcmeKey()
      }
    })
  })

  test('the current policy applies, not the one at the first request', async () => {
    const { of, name } = await newModel({ registration: 'approval' })
    assert.equal((await register(service, of)).status, 202)
    const policy = { registration: 'auto', ...DEFAULT_POLICY } as const
    await setPolicy(name, policy, service.installation)
    // A waiting device keeps waiting for its decision.
    assert.equal((await register(service, of)).status, 202)
    await registered(service, { ...of, key: await freshDeviceKey() })
  })
})
