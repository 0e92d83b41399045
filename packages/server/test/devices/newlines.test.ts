/**
 * Guarantee: an extra newline before a signature, which a stream of assertions can contain, does not damage any row.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decode, encode, type PrivateKey } from '@ratafia/assertions'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import type { Database } from '../../src/database/index.ts'
import type { Installation } from '../../src/installation.ts'
import { addModel, importHardwareIdentities } from '../support/as-operator.ts'
import { vector } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  freshDeviceKeys,
  getRequestId,
  modelFile,
  postDevices,
  serialAssertion,
  serialRequest,
  sessionBody,
  setAcmePolicy,
  streamOf,
  textOf,
  withAcme,
} from '../support/devices.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { call } from '../support/service.ts'

oneDatabase((_kind, open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  let database: Database
  let service: RunningProgram
  let keys: PrivateKey[]
  before(async () => {
    installation = await program.open()
    await withAcme(installation, { registration: 'approval' })
    keys = [...(await freshDeviceKeys(6))]
    service = await program.start()
    database = await open()
  })
  after(() => service.end('SIGTERM'))

  const newKey = () => keys.pop() ?? assert.fail('no key left')
  const approve = (deviceKeyId: string) => program.run(['devices', 'approve', '--', deviceKeyId])
  const verifies = async () => {
    const { code, stdout } = await program.run(['verify'])
    assert.equal(code, 0, stdout)
  }

  test('a waiting registration can be approved, and gets its serial', async () => {
    const key = newKey()
    const request = serialRequest({
      requestId: await getRequestId(service),
      key,
      serial: 'N-1',
      body: 'a: b\n',
    })
    const stream = streamOf(spoiled(request), spoiled(modelFile.bytes))
    assert.equal((await postDevices(service, stream)).status, 202)
    const { code, stderr } = await approve(key.publicKey.id)
    assert.deepEqual([code, stderr], [0, ''])
    const { status, serial } = await postDevices(service, stream)
    assert.deepEqual([status, serial?.fields.serial], [200, 'N-1'])
    await verifies()
  })

  test('a serial that enters the register with a session can be returned and exported', async () => {
    const key = newKey()
    const serial = serialAssertion({ serial: 'N-3', key })
    const body = await sessionBody(service, { serial, key })
    const spoil = (field: string) => textOf(spoiled(Buffer.from(body[field] ?? assert.fail())))
    const spoiledBody = Object.fromEntries(Object.keys(body).map((field) => [field, spoil(field)]))
    assert.equal((await call(service, 'POST', `${AUTH}/sessions`, { body: spoiledBody })).status, 200)
    const served = async () => {
      const response = await fetch(
        `${service.baseUrl}/v2/assertions/serial/${ACME.brandId}/${ACME.model}/N-3`,
      )
      return [response.status, await response.text()]
    }
    assert.deepEqual(await served(), [200, textOf(encode(serial))])
    await verifies()
    const requestHeaders = { 'snap-device-capabilities': 'serial-stream' }
    const request = serialRequest({ requestId: await getRequestId(service), key })
    const again = await postDevices(service, streamOf(request, modelFile.bytes), { headers: requestHeaders })
    assert.deepEqual([again.status, again.serial?.fields.serial], [200, 'N-3'])
  })

  test('the operator can import a model, hardware identities and an exported register', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-newlines-'))
    after(() => rm(directory, { recursive: true }))
    const model = vector('world/model-acme-gadget')
    const policy = { ...DEFAULT_POLICY, registration: 'auto' } as const
    await addModel({ file: { ...model, bytes: spoiled(model.bytes) }, policy }, installation)
    const identity = vector('extra-head/hardware-identity')
    const bytes = spoiled(identity.bytes)
    await importHardwareIdentities([{ ...identity, bytes }], installation)
    // Imported again, to be compared with the stored ones.
    await importHardwareIdentities([identity], installation)

    const waits = newKey()
    await setAcmePolicy(installation, { registration: 'approval' })
    const request = serialRequest({ requestId: await getRequestId(service), key: waits, serial: 'N-5' })
    const key = newKey()
    const file = join(directory, 'devices.json')
    const own = { brand_id: ACME.brandId, model: ACME.model }
    const rows = [
      {
        ...own,
        serial: 'N-4',
        device_key_id: key.publicKey.id,
        assertions: textOf(spoiled(encode(serialAssertion({ serial: 'N-4', key })))),
      },
      {
        ...own,
        serial: 'N-5',
        device_key_id: waits.publicKey.id,
        status: 'pending',
        request: textOf(spoiled(request)),
      },
    ]
    await writeFile(file, JSON.stringify(rows))
    const { code, stderr } = await program.run(['devices', 'import', file])
    assert.deepEqual([code, stderr], [0, ''])
    for (const { encoded } of await database.query
      .selectFrom('serial_assertion')
      .select('encoded')
      .where('serial', '=', 'N-4')
      .execute())
      decode(encoded)
    assert.equal((await approve(waits.publicKey.id)).code, 0)
    for (const row of await database.query.selectFrom('assertion').select('encoded').execute())
      decode(row.encoded)
    for (const row of await database.query.selectFrom('hardware_identity').select('encoded').execute()) {
      decode(row.encoded)
    }
  })
})

/** Adds a newline before the signature, which a stream can contain and a single assertion can't. */
function spoiled(encoded: Uint8Array): Buffer {
  const text = textOf(encoded)
  const at = text.lastIndexOf('\n\n')
  const bytes = Buffer.from(`${text.slice(0, at)}\n${text.slice(at)}`)
  assert.throws(() => decode(bytes))
  return bytes
}
