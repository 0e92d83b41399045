/** Models and devices of acme-brand that only one test uses, and what the register has of them. */
import assert from 'node:assert/strict'
import { type SignPrivateKeyInput, sign } from 'node:crypto'
import { before } from 'node:test'
import type { AssertionOf, HeaderInput, PrivateKey } from '@ratafia/assertions'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
} from '@ratafia/macaroon'
import type { ModelName, ModelPolicy } from '../../src/brands/models/model-policy.ts'
import { importHardwareIdentities } from './as-operator.ts'
import { vector } from './brands.ts'
import { ACME, addAcmeModel, freshDeviceKeys, serialAssertion, withAcme } from './devices.ts'
import { type Answer, refusalOf, type TestService } from './service.ts'

type Service = Pick<TestService, 'installation'>

/** Returns a function that adds a model of acme-brand with a name of its own. */
export function newModels(service: Service, prefix: string) {
  let models = 0
  return async (policy: Partial<ModelPolicy> = {}, headers: Record<string, HeaderInput> = {}) => {
    const model = `${prefix}-${++models}`
    const modelText = await addAcmeModel(service.installation, model, { policy, headers })
    const name = { brandId: ACME.brandId, model }
    const { devices } = service.installation
    return {
      name,
      /** The model of a registration. */
      of: { model, modelText },
      /** Returns the device that has this serial number. */
      holder: async (serial: string) =>
        (await devices.findHolder({ ...name, serial })) ?? assert.fail('not in the register'),
      rows: () => devices.list({ ...name, limit: 1_000 }),
      /** Returns the device that registered last. */
      latest: async () =>
        (await devices.list({ ...name, limit: 1 }))[0] ?? assert.fail('not in the register'),
    }
  }
}

export type TestModel = Awaited<ReturnType<ReturnType<typeof newModels>>>

/** Adds acme-brand before the tests of a suite, and returns a function that returns unused device keys. */
export function acmeWithKeys(service: Service, count: number): () => PrivateKey {
  let keys: PrivateKey[]
  before(async () => {
    await withAcme(service.installation)
    keys = [...(await freshDeviceKeys(count))]
  })
  return () => keys.shift() ?? assert.fail('more devices than keys')
}

export interface SignedDevice {
  readonly key: PrivateKey
  readonly serial: AssertionOf<'serial'>
}

/** Does the same as {@link acmeWithKeys}, for devices of acme-classic whose serials were signed elsewhere. */
export function acmeWithDevices(service: Service, prefix: string, count: number) {
  const newKey = acmeWithKeys(service, count)
  let devices = 0
  const newDevice = (revision = 0): SignedDevice => {
    const key = newKey()
    return { key, serial: serialAssertion({ serial: `${prefix}-${++devices}`, key, revision }) }
  }
  const holderOf = async ({ serial }: Pick<SignedDevice, 'serial'>) =>
    (await service.installation.devices.findHolder(serial.fields)) ?? assert.fail('not in the register')
  const sessionsOf = async (device: Pick<SignedDevice, 'serial'>) =>
    service.installation.deviceSessions.ofDevice(await holderOf(device), 100)
  return { newKey, newDevice, holderOf, sessionsOf }
}

const hardwareKey = vector('world/keys/hwid-p256.pem').bytes.toString()

/** Imports the hardware of the vectors before the tests of a suite, and returns what proves it. */
export function withHardware(service: Service) {
  let stored: { readonly keySha2: string; readonly keySha3: string }
  before(async () => {
    const { installation } = service
    await importHardwareIdentities([vector('extra-head/hardware-identity')], installation)
    stored = (await installation.hardwareIdentities.list({ limit: 1 }))[0] ?? assert.fail()
  })
  const identity = () => stored
  /** Returns a signature of this request-id, by the key of the hardware unless `other` has one. */
  const signed = (requestId: string, algorithm = 'sha256', other: Partial<SignPrivateKeyInput> = {}) =>
    sign(algorithm, Buffer.from(requestId), { key: hardwareKey, ...other }).toString('base64')
  const proof = (requestId: string) => ({
    'hardware-id-key-sha3-384': stored.keySha3,
    'request-id-signature': signed(requestId),
  })
  return { identity, signed, proof }
}

/** Returns the headers of a remodel. */
export const remodelHeaders = ({ brandId, model }: ModelName, serial: string): Record<string, string> => ({
  'original-brand-id': brandId,
  'original-model': model,
  'original-serial': serial,
})

/** Checks a refusal that a device shows, so its message is one printable line. */
export function assertRefused(answer: Answer, status: number, code: string, message: RegExp): void {
  const refusal = refusalOf(answer)
  assert.deepEqual([refusal.status, refusal.code], [status, code], refusal.message)
  assert.match(refusal.message, message)
  assert.match(refusal.message, /^[ -~]{1,1000}$/)
}

export const parsed = (macaroon: string): Macaroon => decodeBinary(decodeBase64(macaroon))[0]
export const printed = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))
export const conditionsOf = (macaroon: string): readonly string[] =>
  parsed(macaroon).caveats.map(({ id }) => Buffer.from(id).toString())
export const withCaveat = (macaroon: string, condition: string): string =>
  printed(addFirstPartyCaveat(parsed(macaroon), condition))
