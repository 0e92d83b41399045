/** A device with the behaviour of snapd: its key, its signatures and its requests (contract/devices.md 1). */
import assert from 'node:assert/strict'
import { generateKeyPair } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import {
  ASSERTION_MEDIA_TYPE,
  type AssertionOf,
  decodeStream,
  encode,
  encodePublicKey,
  expectType,
  formatTimestamp,
  type HeaderInput,
  type PrivateKey,
  privateKeyFromKeyObject,
  privateKeyFromPem,
  type SigningInput,
  sign,
  type TypeName,
  type UnverifiedAssertion,
} from '@ratafia/assertions'
import { DEFAULT_POLICY, type ModelPolicy } from '../../src/brands/models/model-policy.ts'
import type { Stores } from '../../src/stores.ts'
import { addModel, setPolicy } from './as-operator.ts'
import { acmeFiles, addAcme, testKey, vector } from './brands.ts'
import { assertDocumented } from './openapi.ts'
import { type Answer, call, type TestService } from './service.ts'

export const AUTH = '/api/v1/snaps/auth'
export const ACME = { brandId: 'acme-brand', model: 'acme-classic' } as const
export const modelFile = vector('world/model-acme-classic')
const newRsaKey = promisify(generateKeyPair)

/**
 * Device keys with 2048 bits, the minimum that the policy allows, because signing costs a fifth of signing with 4096.
 * They are read from a file, because generating one costs a tenth of a second of CPU. The first two have names; the
 * tests of a database use the others in turn.
 */
const [FIRST, SECOND, ...OTHERS] = (
  readFileSync(new URL('../data/device-keys.pem', import.meta.url), 'utf8').match(
    /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/g,
  ) ?? []
).map((pem) => privateKeyFromPem(Buffer.from(pem)))

/** Returns the key of the device that most tests use, or of a second device. */
export const deviceKey = (name: 'device' | 'device2' = 'device'): PrivateKey =>
  (name === 'device' ? FIRST : SECOND) ?? assert.fail('there is no such key')

let taken = 0

/** Returns keys that no device of this database has. */
export function freshDeviceKeys(count: number): Promise<readonly PrivateKey[]> {
  return Promise.all(Array.from({ length: count }, freshDeviceKey))
}

export async function freshDeviceKey(): Promise<PrivateKey> {
  const prepared = OTHERS[taken++]
  if (prepared !== undefined) return prepared
  return privateKeyFromKeyObject((await newRsaKey('rsa', { modulusLength: 2048 })).privateKey)
}

/**
 * Adds acme-brand and its model acme-classic to a database without devices, with this policy (default registration:
 * `auto`). Also makes all device keys fresh again.
 */
export async function withAcme(deps: Stores, policy: Partial<ModelPolicy> = {}): Promise<void> {
  taken = 0
  await addAcme(deps)
  await setAcmePolicy(deps, policy)
}

export async function setAcmePolicy(deps: Stores, policy: Partial<ModelPolicy>): Promise<void> {
  await setPolicy(ACME, { registration: 'auto', ...DEFAULT_POLICY, ...policy }, deps)
}

/** Returns a model assertion of acme-brand, signed with its key. `headers` are added or replace others. */
export function acmeModel(
  model: string,
  headers: Record<string, HeaderInput> = {},
  body?: string,
): Uint8Array {
  const own = {
    'authority-id': ACME.brandId,
    series: '16',
    'brand-id': ACME.brandId,
    model,
    classic: 'true',
    timestamp: '2020-05-01T00:00:00Z',
  }
  const input = { type: 'model', headers: { ...own, ...headers }, ...(body && { body }) } as const
  return encode(signedOnce(input, acmeKey()))
}

const signedBefore = new Map<string, UnverifiedAssertion>()

/** Signs an assertion once for the tests of both databases, because a signature with 4096 bits takes 6 ms. */
function signedOnce(input: SigningInput<TypeName>, key: PrivateKey): UnverifiedAssertion {
  const what = JSON.stringify([key.publicKey.id, input])
  const signed = signedBefore.get(what) ?? sign(input, key, { signedAt: new Date() })
  signedBefore.set(what, signed)
  return signed
}

/** Adds another model of acme-brand, and returns its assertion. */
export async function addAcmeModel(
  deps: Stores,
  model: string,
  {
    policy = {},
    headers = {},
  }: { policy?: Partial<ModelPolicy>; headers?: Record<string, HeaderInput> } = {},
): Promise<Uint8Array> {
  const encoded = acmeModel(model, headers)
  const file = { name: `model-${model}`, bytes: encoded }
  await addModel({ file, policy: { registration: 'auto', ...DEFAULT_POLICY, ...policy } }, deps)
  return encoded
}

export const acmeKey = (): PrivateKey => testKey('brand')
export { acmeFiles }

export interface SerialRequestInput {
  readonly requestId: string
  readonly key?: PrivateKey
  readonly model?: string
  /** The proposed serial. */
  readonly serial?: string
  readonly body?: string
  /** Headers to add or replace. */
  readonly headers?: Record<string, HeaderInput>
}

/** Returns a serial-request, signed with the device's own key. */
export function serialRequest({
  requestId,
  key = deviceKey(),
  model = ACME.model,
  serial,
  body,
  headers = {},
}: SerialRequestInput): Uint8Array {
  return selfSigned(
    'serial-request',
    {
      'brand-id': ACME.brandId,
      model,
      'request-id': requestId,
      'device-key': encodePublicKey(key.publicKey).trimEnd(),
      ...(serial === undefined ? {} : { serial }),
      ...headers,
    },
    key,
    body,
  )
}

export interface SessionRequestInput {
  readonly nonce: string
  readonly serial: string
  readonly key?: PrivateKey
  readonly model?: string
  readonly headers?: Record<string, HeaderInput>
}

/** Returns a device-session-request, signed with the device's key. */
export function sessionRequest({
  nonce,
  serial,
  key = deviceKey(),
  model = ACME.model,
  headers = {},
}: SessionRequestInput): Uint8Array {
  return selfSigned(
    'device-session-request',
    { 'brand-id': ACME.brandId, model, serial, nonce, timestamp: formatTimestamp(new Date()), ...headers },
    key,
  )
}

/** Device keys may be smaller than the keys we sign with. */
const DEVICE_POLICY = { minimumKeyBits: 2048, maximumKeyBits: 8192 }

function selfSigned<Type extends TypeName>(
  type: Type,
  headers: Record<string, HeaderInput>,
  key: PrivateKey,
  body?: string,
): Uint8Array {
  const input = { type, headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) }
  return encode(sign(input, key, { signedAt: new Date(), policy: DEVICE_POLICY }))
}

export interface SerialInput {
  readonly serial: string
  readonly key?: PrivateKey
  readonly model?: string
  readonly revision?: number
  /** The signing key: acme-brand's by default. */
  readonly signer?: PrivateKey
  /** Headers to add or replace. */
  readonly headers?: Record<string, HeaderInput>
}

/** Returns a serial assertion that the brand signed outside the service. */
export function serialAssertion({
  serial,
  key = deviceKey(),
  model = ACME.model,
  revision = 0,
  signer = acmeKey(),
  headers = {},
}: SerialInput): AssertionOf<'serial'> {
  const own = {
    'authority-id': ACME.brandId,
    'brand-id': ACME.brandId,
    model,
    serial,
    'device-key': encodePublicKey(key.publicKey).trimEnd(),
    'device-key-sha3-384': key.publicKey.id,
    timestamp: '2021-01-01T00:00:00Z',
    ...(revision > 0 ? { revision: String(revision) } : {}),
  }
  const signed = signedOnce({ type: 'serial', headers: { ...own, ...headers } }, signer)
  return expectType(signed, 'serial') as AssertionOf<'serial'>
}

/** Returns a stream of encoded assertions, as snapd writes it into a body. */
export const streamOf = (...assertions: readonly (Uint8Array | string)[]): string =>
  assertions.map((one) => (typeof one === 'string' ? one : Buffer.from(one).toString())).join('\n')

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

type Reachable = Pick<TestService, 'baseUrl'>

type HeadersSent = Readonly<Record<string, string>>

/** Sends a POST without body and content type, as snapd does. */
async function postNothing(service: Reachable, path: string, sent: HeadersSent = {}): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}${path}`, { method: 'POST', headers: sent })
  const { status, headers } = response
  const text = await response.text()
  assertDocumented({ method: 'POST', path, request: { headers: {}, body: undefined }, status, headers, text })
  return { status, headers, body: JSON.parse(text) }
}

export async function getRequestId(service: Reachable, headers?: HeadersSent): Promise<string> {
  const { status, body } = await postNothing(service, `${AUTH}/request-id`, headers)
  assert.equal(status, 200, JSON.stringify(body))
  return body['request-id']
}

export async function getNonce(service: Reachable): Promise<string> {
  const { status, body } = await postNothing(service, `${AUTH}/nonces`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.nonce
}

export interface RegistrationAnswer extends Answer {
  /** The body; empty for a refusal or a 202. */
  readonly text: string
  /** The serial assertion, if there is one. */
  readonly serial: UnverifiedAssertion<'serial'> | undefined
}

/** POSTs an assertion stream to `/devices`, or to a different path. */
export async function postDevices(
  service: Reachable,
  body: string | Uint8Array,
  { headers = {}, path = `${AUTH}/devices` }: { headers?: Record<string, string>; path?: string } = {},
): Promise<RegistrationAnswer> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': ASSERTION_MEDIA_TYPE, ...headers },
    body: Buffer.from(body),
  })
  const text = await response.text()
  const { status } = response
  assertDocumented({
    method: 'POST',
    path,
    request: { headers, body: String(body) },
    status,
    headers: response.headers,
    text,
  })
  if (status !== 200) {
    return {
      status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
      text: '',
      serial: undefined,
    }
  }
  const serial = decodeStream(Buffer.from(text)).find(({ type }) => type === 'serial')
  return {
    status,
    headers: response.headers,
    body: undefined,
    text,
    serial: serial && expectType(serial, 'serial'),
  }
}

export interface RegisterInput extends Partial<SerialRequestInput> {
  readonly modelText?: Uint8Array
  readonly original?: Uint8Array
  readonly requestHeaders?: Record<string, string>
}

/** Sends a whole registration: request-id, serial-request, model and, for a remodel, the original serial. */
export async function register(service: Reachable, input: RegisterInput = {}): Promise<RegistrationAnswer> {
  const { modelText = modelFile.bytes, original, requestHeaders = {}, ...request } = input
  const requestId = input.requestId ?? (await getRequestId(service))
  const parts = [serialRequest({ ...request, requestId }), modelText, ...(original ? [original] : [])]
  return postDevices(service, streamOf(...parts), { headers: requestHeaders })
}

/** Registers a device and returns its serial assertion. Fails if the service refuses. */
export async function registered(
  service: Reachable,
  input: RegisterInput = {},
): Promise<AssertionOf<'serial'>> {
  const { status, body, serial } = await register(service, input)
  assert.equal(status, 200, JSON.stringify(body))
  return serial ?? assert.fail('no serial in the answer')
}

export interface OpenSessionInput {
  readonly serial: UnverifiedAssertion<'serial'>
  readonly key?: PrivateKey
  readonly nonce?: string
  /** The model assertion; undefined for the model file, null for none. */
  readonly modelText?: Uint8Array | null
  /** The macaroon to refresh. */
  readonly previous?: string
}

/** Returns the body of `POST sessions`, as snapd writes it. */
export async function sessionBody(
  service: Reachable,
  { serial, key, nonce, modelText = modelFile.bytes }: OpenSessionInput,
): Promise<Record<string, string>> {
  const request = sessionRequest({
    nonce: nonce ?? (await getNonce(service)),
    serial: serial.fields.serial,
    model: serial.fields.model,
    ...(key ? { key } : {}),
    headers: { 'brand-id': serial.fields.brandId },
  })
  return {
    'device-session-request': textOf(request),
    'serial-assertion': textOf(encode(serial)),
    ...(modelText ? { 'model-assertion': textOf(modelText) } : {}),
  }
}

export const presentingSession = (macaroon: string): Record<string, string> => ({
  'x-device-authorization': `Macaroon root="${macaroon}"`,
})

export async function openSession(service: Reachable, input: OpenSessionInput): Promise<Answer> {
  return call(service, 'POST', `${AUTH}/sessions`, {
    headers: input.previous === undefined ? {} : presentingSession(input.previous),
    body: await sessionBody(service, input),
  })
}

/** Opens a session and returns its macaroon. Fails if the service refuses. */
export async function sessionOf(service: Reachable, input: OpenSessionInput): Promise<string> {
  const { status, body } = await openSession(service, input)
  assert.equal(status, 200, JSON.stringify(body))
  return body.macaroon
}
