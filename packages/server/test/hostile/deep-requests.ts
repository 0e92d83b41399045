/** Requests that pass most checks: fresh nonces, valid chains and signatures, and only one or two errors. */
import {
  encode,
  encodePublicKey,
  type HeaderInput,
  type PrivateKey,
  sign,
  type TypeName,
} from '@ratafia/assertions'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, type Macaroon } from '@ratafia/macaroon'
import fc from 'fast-check'
import { FULL } from '../../../../tools/test/effort.ts'
import { AUTH, streamOf } from '../support/devices.ts'
import { mutated, odd, registrationHeaders, sessionHeader } from './device-requests.ts'
import type { RawRequest } from './pipeline.ts'
import { headerText } from './requests.ts'

/** A device and its credentials for one model. */
export interface DeepDevice {
  readonly key: PrivateKey
  readonly brandId: string
  readonly model: string
  readonly modelText: Uint8Array
}

export interface DeepSeeds {
  readonly devices: readonly DeepDevice[]
  readonly brandKey: PrivateKey
  /** The key of a stranger, unknown to the service. */
  readonly strangerKey: PrivateKey
  /** A key of the model that requires one. */
  readonly apiKey: string
  /** A session of the kind that the service mints for a device. */
  readonly session: Macaroon
}

/** Strings that only the running service can create, when the request is sent. */
export interface FreshTexts {
  requestId(): Promise<string>
  nonce(): Promise<string>
  /** Returns an expired text of either kind. */
  expired(kind: 'nonce' | 'request-id'): Promise<string>
}

export type DeepRequest = (fresh: FreshTexts) => Promise<RawRequest>

type NonceChoice = 'fresh' | 'other kind' | 'expired' | { readonly text: string }

const nonceChoice: fc.Arbitrary<NonceChoice> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('fresh' as const) },
  fc.constantFrom('other kind' as const, 'expired' as const),
  fc.oneof(odd, fc.base64String({ maxLength: 100 })).map((text) => ({ text })),
)

async function textFor(
  kind: 'nonce' | 'request-id',
  choice: NonceChoice,
  fresh: FreshTexts,
): Promise<string> {
  if (typeof choice === 'object') return choice.text
  if (choice === 'expired') return fresh.expired(kind)
  return (kind === 'nonce') === (choice === 'fresh') ? fresh.nonce() : fresh.requestId()
}

const headerValue: fc.Arbitrary<HeaderInput> = fc.oneof(
  { weight: 8, arbitrary: odd },
  fc.array(odd, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'b-c', '__proto__', 'A_'), odd, { maxKeys: 3 }),
)

/** Applies `arbitrary` in one of six requests. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, arbitrary)

const mostly: fc.Arbitrary<boolean> = fc.integer({ min: 0, max: 7 }).map((n) => n !== 3)

/** Rarely changes more than one header: with two errors, the request is refused for the first. */
const changes = (...names: readonly string[]): fc.Arbitrary<Record<string, HeaderInput>> =>
  fc.oneof(
    fc.constant({}),
    fc
      .array(fc.tuple(fc.constantFrom(...names), headerValue), { minLength: 1, maxLength: 2 })
      .map((pairs): Record<string, HeaderInput> => Object.fromEntries(pairs)),
  )

const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  odd,
  fc.json({ maxDepth: 3 }),
  fc
    .dictionary(
      fc.constantFrom(
        'hardware-id-key-sha384',
        'hardware-id-key-sha3-384',
        'request-id-signature',
        '__proto__',
      ),
      fc.oneof(odd, fc.constant('a'.repeat(64)), fc.jsonValue({ maxDepth: 1 })),
    )
    .map((value) => JSON.stringify(value)),
  fc.constantFrom(70_000, 300_000).map((length) => 'b\n\n'.repeat(length / 3)),
)

/**
 * Returns undefined for headers that no assertion of this type can have: the service would not read them, so
 * they would not test later checks.
 */
function signed(
  type: TypeName,
  headers: Record<string, HeaderInput>,
  key: PrivateKey,
  body = '',
): Uint8Array | undefined {
  try {
    return encode(
      sign({ type, headers, body }, key, {
        signedAt: new Date(),
        policy: { minimumKeyBits: 1024, maximumKeyBits: 8192 },
      }),
    )
  } catch {
    return undefined
  }
}

/** Now and then changes one byte or line of what was signed. */
function maybeMutated(bytes: Uint8Array | undefined, seed: number): Buffer {
  if (bytes === undefined) return Buffer.from('nothing that could be signed\n')
  return seed % 30 === 0 ? pick(mutated(Buffer.from(bytes)), seed) : Buffer.from(bytes)
}

/** Returns a different value with each call, from one seed. */
const pick = <T>(arbitrary: fc.Arbitrary<T>, seed: number): T => {
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 })
  if (value === undefined) throw new Error('one was asked for')
  return value
}

const STREAM = {
  'content-type': 'application/x.ubuntu.assertion',
  'snap-device-capabilities': 'serial-stream',
}

/** Registrations with a signature by the device's own key. */
export function deepRegistrations(seeds: DeepSeeds): fc.Arbitrary<DeepRequest> {
  const [models, serials] = [modelAssertions(seeds), serialAssertions(seeds)]
  return fc
    .record({
      device: fc.constantFrom(...seeds.devices),
      id: nonceChoice,
      changed: changes(
        ...['serial', 'brand-id', 'model', 'device-key', 'original-brand-id', 'original-model'],
        ...['original-serial', 'format', 'revision', 'unknown'],
      ),
      proposed: fc.option(fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 5 }).map((n) => `SN-${n}`) }, odd)),
      body: bodies,
      model: seldom(fc.nat()),
      original: seldom(fc.nat()),
      saysOriginal: mostly,
      fits: mostly,
      headers: fc.oneof({ weight: 6, arbitrary: fc.constant(STREAM) }, registrationHeaders),
      hasApiKey: fc.boolean(),
      path: fc.constantFrom(`${AUTH}/devices`, '/v1/serial'),
      seed: fc.nat(),
    })
    .map((choice) => async (fresh) => {
      const { device, fits } = choice
      const own = device.key.publicKey.id
      const model = choice.model === null ? undefined : models(choice.model, fits ? device.model : undefined)
      const original = choice.original === null ? undefined : serials(choice.original, fits ? own : undefined)
      const was = original && choice.saysOriginal ? original.headers : undefined
      const headers = {
        'brand-id': device.brandId,
        model: device.model,
        'request-id': await textFor('request-id', choice.id, fresh),
        'device-key': encodePublicKey(device.key.publicKey).trimEnd(),
        serial: choice.proposed,
        'original-brand-id': was?.['brand-id'],
        'original-model': was?.['model'],
        'original-serial': was?.['serial'],
      }
      const request =
        signed('serial-request', { ...headers, ...choice.changed }, device.key, choice.body) ??
        signed('serial-request', headers, device.key)
      const parts = [request, model?.encoded ?? device.modelText, ...(original ? [original.encoded] : [])]
      return {
        method: 'POST',
        path: choice.path,
        headers: { ...choice.headers, ...(choice.hasApiKey ? { 'api-key': seeds.apiKey } : {}) },
        body: streamOf(...parts.map((part, i) => maybeMutated(part, choice.seed + i))),
      }
    })
}

/** Session requests signed by the key of the serial, which the brand signed. */
export function deepSessions(seeds: DeepSeeds): fc.Arbitrary<DeepRequest> {
  const [models, serials] = [modelAssertions(seeds), serialAssertions(seeds)]
  return fc
    .record({
      device: fc.constantFrom(...seeds.devices),
      nonce: nonceChoice,
      serial: fc.nat(),
      changed: changes('nonce', 'serial', 'brand-id', 'model', 'timestamp', 'format', 'revision', 'unknown'),
      model: seldom(fc.nat()),
      hasModel: mostly,
      fits: mostly,
      session: seldom(sessions(seeds)),
      seed: fc.nat(),
    })
    .map((choice) => async (fresh) => {
      const { key } = choice.device
      const serial = serials(choice.serial, choice.fits ? key.publicKey.id : undefined)
      const { 'brand-id': brandId, model, serial: number } = serial.headers
      const headers = {
        'brand-id': brandId,
        model,
        serial: number,
        nonce: await textFor('nonce', choice.nonce, fresh),
        timestamp: '2026-01-01T00:00:00Z',
      }
      const request =
        signed('device-session-request', { ...headers, ...choice.changed }, key) ??
        signed('device-session-request', headers, key)
      const modelText =
        choice.model === null
          ? seeds.devices.find((one) => one.model === model)?.modelText
          : models(choice.model, choice.fits ? String(model) : undefined).encoded
      const [first, second, third] = [request, serial.encoded, modelText].map((part, i) =>
        maybeMutated(part, choice.seed + i).toString(),
      )
      return {
        method: 'POST',
        path: `${AUTH}/sessions`,
        headers: choice.session ?? {},
        body: JSON.stringify({
          'device-session-request': first,
          'serial-assertion': second,
          ...(choice.hasModel ? { 'model-assertion': third } : {}),
        }),
      }
    })
}

/** Our own sessions with caveats that their holder added. */
export function sessions({ session }: DeepSeeds): fc.Arbitrary<Record<string, string>> {
  const names = [
    'brand-id',
    'model',
    'serial',
    'store',
    'device-key-sha3-384',
    'time-since',
    'time-before',
    'x',
    '',
  ]
  const condition = fc
    .tuple(fc.constantFrom(...names), fc.oneof(odd, fc.constant('9999-12-31T23:59:59.999999Z')))
    .map(([name, argument]) => `${name} ${argument}`.toWellFormed())
  const attenuated = fc
    .array(condition, { maxLength: 4 })
    .map((list) => encodeBase64Url(encodeBinary(list.reduce(addFirstPartyCaveat, session))))
  return fc.oneof(
    {
      weight: 3,
      arbitrary: attenuated.map((text) => ({ 'x-device-authorization': `Macaroon root="${text}"` })),
    },
    sessionHeader(encodeBinary(session)),
    headerText(100).map((text) => ({ 'snap-device-authorization': text })),
  )
}

interface Made {
  /** The model, or the key, that it is about. */
  readonly about: string
  readonly headers: Readonly<Record<string, HeaderInput>>
  readonly encoded: Uint8Array
}

/** Returns one of them by number, about the given thing if there are any. */
type Choose = (number: number, about: string | undefined) => Made

/** Created once for all databases, whose devices have the same keys: the signing keys have 4096 bits. */
const pools = new Map<TypeName, Choose>()

function poolOf(type: TypeName, count: number, make: (seed: number) => Made | undefined): Choose {
  const choose = pools.get(type) ?? pool(count, make)
  pools.set(type, choose)
  return choose
}

function pool(count: number, make: (seed: number) => Made | undefined): Choose {
  const made = Array.from({ length: count }, (_, seed) => make(seed)).filter((one) => one !== undefined)
  return (number, about) => {
    const fitting = made.filter((one) => one.about === about)
    const some = fitting.length > 0 ? fitting : made
    return some[number % some.length] ?? fail()
  }
}

const fail = (): never => {
  throw new Error('nothing was created')
}

function serialAssertions({ devices, brandKey, strangerKey }: DeepSeeds): Choose {
  return poolOf('serial', FULL ? 200 : 100, (seed) => {
    const { key, brandId, model } = devices[(seed * 7) % devices.length] ?? fail()
    const about = key.publicKey.id
    const headers = {
      'authority-id': brandId,
      'brand-id': brandId,
      model,
      serial: `EX-${seed % 20}`,
      'device-key': encodePublicKey(key.publicKey).trimEnd(),
      'device-key-sha3-384': about,
      timestamp: '2026-01-01T00:00:00Z',
    }
    const names = ['authority-id', 'brand-id', 'model', 'serial', 'serial', 'revision', 'revision']
    const changed = seed % 3 === 0 ? {} : pick(changes(...names, 'timestamp', 'format', 'unknown'), seed)
    const signer = seed % 11 === 0 ? strangerKey : seed % 13 === 0 ? key : brandKey
    const encoded = signed('serial', { ...headers, ...changed }, signer, pick(bodies, seed))
    return encoded && { about, headers: { ...headers, ...changed }, encoded }
  })
}

function modelAssertions({ devices, brandKey, strangerKey }: DeepSeeds): Choose {
  return poolOf('model', FULL ? 120 : 60, (seed) => {
    const { brandId, model } = devices[seed % devices.length] ?? fail()
    const headers = {
      'authority-id': brandId,
      series: '16',
      'brand-id': brandId,
      model,
      classic: 'true',
      timestamp: '2026-01-01T00:00:00Z',
    }
    const names = [
      'series',
      'store',
      'store',
      'store',
      'display-name',
      'serial-authority',
      'timestamp',
      'model',
    ]
    const changed = {
      // Text that no database accepts, in the part of the model that the session keeps.
      ...(seed % 9 === 1 ? { store: 'a\0b' } : {}),
      ...pick(changes(...names, 'revision', 'base', 'snaps', 'required-snaps'), seed),
    }
    const signer = seed % 11 === 0 ? strangerKey : brandKey
    const encoded = signed('model', { ...headers, ...changed }, signer)
    return encoded && { about: model, headers: { ...headers, ...changed }, encoded }
  })
}
