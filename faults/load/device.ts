/** Requests of a device: registrations and sessions, signed with its own key. */
import {
  ASSERTION_MEDIA_TYPE,
  decodeStream,
  encode,
  encodePublicKey,
  expectType,
  formatTimestamp,
  type HeaderInput,
  type PrivateKey,
  sign,
  type TypeName,
} from '@ratafia/assertions'
import type { DeviceSeen } from '../history.ts'
import { sessionIdIn } from './log-in.ts'
import type { Random } from './random.ts'
import { BRAND, type Model } from './scene.ts'
import { hashOf, type Request, type Target, type Wire } from './wire.ts'

/** A key that can become a device of the model. */
export interface Unit {
  readonly model: Model
  readonly key: PrivateKey
}

export interface Device extends Unit {
  readonly serial: string
  /** The serial assertion. */
  readonly assertion: string
  /** Its registration request, which can be sent again. */
  readonly registration: Request
}

/** A device whose registration the operator has not decided yet, as far as the device knows. */
export interface Waiting {
  readonly unit: Unit
  readonly request: Request
}

export interface DeviceSession {
  readonly device: Device
  readonly id: string
  readonly macaroon: string
  /** Its session request, which can be sent again. */
  readonly opening: Request
}

const AUTH = '/api/v1/snaps/auth'
/** Device keys can be smaller than keys of brands. */
const POLICY = { minimumKeyBits: 2048, maximumKeyBits: 8192 }

/** Returns `MODEL/KEY`, which identifies a device without a serial in the register. */
export const nameOf = ({ model, key }: Unit): string => `${model.name}/${key.publicKey.id}`
export const subjectOf = ({ model, serial }: Device): string => `device ${model.name}/${serial}`

export const requestIdRequest: Request = { kind: 'request-id', method: 'POST', path: `${AUTH}/request-id` }
export const nonceRequest: Request = { kind: 'nonce', method: 'POST', path: `${AUTH}/nonces` }

/** Returns a request-id or a nonce; undefined if the request failed. */
export async function ask(
  request: typeof requestIdRequest,
  wire: Wire,
  random: Random,
  target: Target = wire.pick(random),
): Promise<string | undefined> {
  const { status, body } = await wire.send(target, request)
  if (status !== 200) return undefined
  const answer = JSON.parse(body)
  return answer['request-id'] ?? answer.nonce
}

interface Wanted {
  /** The proposed serial. */
  readonly serial?: string
  /** The device with the same key, at a remodel. */
  readonly original?: Device
}

export function registration(unit: Unit, requestId: string, { serial, original }: Wanted = {}): Request {
  const { model, key } = unit
  const signed = selfSigned(key, 'serial-request', {
    ...{ 'brand-id': BRAND, model: model.name, 'request-id': requestId },
    'device-key': encodePublicKey(key.publicKey).trimEnd(),
    ...(serial === undefined ? {} : { serial }),
    ...(original && {
      ...{ 'original-brand-id': BRAND, 'original-model': original.model.name },
      'original-serial': original.serial,
    }),
  })
  return {
    ...{ kind: original ? 'remodel' : 'register', method: 'POST', path: `${AUTH}/devices` },
    headers: { 'content-type': ASSERTION_MEDIA_TYPE },
    body: [signed, model.text, ...(original ? [original.assertion] : [])].join('\n'),
    ...(model.registration === 'approval' && { waits: nameOf(unit) }),
    proves: (body) => {
      const device = deviceIn(body)
      const result = `${device.model}/${device.serial} ${device.key} ${hashOf(body)}`
      return { device, once: { text: requestId, request: hashOf(signed), result } }
    },
  }
}

/** Returns the registration of a device that already has its serial, to be sent again. */
export const registrationAgain = (device: Device, final = false): Request => ({
  ...device.registration,
  ...{ uses: [subjectOf(device)], mustHold: true, final },
})

/** Returns the request that a pending device repeats, always with the same bytes. */
export const poll = ({ unit, request }: Waiting, final = false): Request => ({
  ...request,
  ...{ uses: [`request ${nameOf(unit)}`], mustHold: true, final },
})

/** Registers a device. Returns undefined if there is no answer, or no serial in it. */
export async function register(
  unit: Unit,
  request: Request,
  wire: Wire,
  random: Random,
  target: Target = wire.pick(random),
): Promise<Device | undefined> {
  const { status, body } = await wire.send(target, request)
  return status === 200 ? deviceOf(unit, request, body) : undefined
}

export const deviceOf = (unit: Unit, registration: Request, body: string): Device => ({
  ...unit,
  ...{ serial: deviceIn(body).serial, assertion: body, registration },
})

/** Returns the request-id of a registration, to use it again. */
export const requestIdIn = (body: Request['body']): string => found(/^request-id: (.+)$/m, body)
/** Returns the nonce of a session request, to use it again. */
export const nonceIn = (body: Request['body']): string => found(/\\nnonce: (.+?)\\n/, body)

function found(pattern: RegExp, body: Request['body']): string {
  const [, text] = pattern.exec(String(body)) ?? []
  if (text === undefined) throw new Error(`there is no ${pattern} in a request`)
  return text
}

export function opening(device: Device, nonce: string, previous?: DeviceSession): Request {
  const { model, key, serial, assertion } = device
  const signed = selfSigned(key, 'device-session-request', {
    ...{ 'brand-id': BRAND, model: model.name, serial, nonce },
    timestamp: formatTimestamp(new Date()),
  })
  const body = {
    ...{ 'device-session-request': signed, 'serial-assertion': assertion },
    'model-assertion': model.text,
  }
  return {
    ...{ kind: previous ? 'refresh' : 'open', method: 'POST', path: `${AUTH}/sessions` },
    headers: { 'content-type': 'application/json', ...(previous && presenting(previous)) },
    body: JSON.stringify(body),
    uses: [subjectOf(device)],
    proves: (answer) => {
      const { macaroon } = JSON.parse(answer)
      const request = hashOf(`${signed}\n${previous?.macaroon ?? ''}`)
      // Another device can open a session with the same nonce (docs/decisions/0044).
      const text = `${nonce} of ${key.publicKey.id}`
      return { once: { text, request, result: `${sessionIdIn(macaroon)} ${hashOf(macaroon)}` } }
    },
  }
}

export async function open(
  device: Device,
  request: Request,
  wire: Wire,
  random: Random,
  target: Target = wire.pick(random),
): Promise<DeviceSession | undefined> {
  const { status, body } = await wire.send(target, request)
  if (status !== 200) return undefined
  const { macaroon } = JSON.parse(body)
  return { device, id: sessionIdIn(macaroon), macaroon, opening: request }
}

export function verification(session: DeviceSession, final = false): Request {
  return {
    ...{ kind: 'device-session', method: 'GET', path: '/device-session', headers: presenting(session) },
    ...{ uses: [subjectOf(session.device)], mustHold: true, final },
  }
}

const presenting = ({ macaroon }: DeviceSession): Record<string, string> => ({
  'x-device-authorization': `Macaroon root="${macaroon}"`,
})

function selfSigned<Type extends TypeName>(
  key: PrivateKey,
  type: Type,
  headers: Record<string, HeaderInput>,
): string {
  const signed = sign({ type, headers }, key, { signedAt: new Date(), policy: POLICY })
  return Buffer.from(encode(signed)).toString()
}

function deviceIn(stream: string): DeviceSeen {
  const found = decodeStream(Buffer.from(stream)).find(({ type }) => type === 'serial')
  if (!found) throw new Error('there is no serial in the answer')
  const { model, serial, deviceKeyId } = expectType(found, 'serial').fields
  return { model, serial, key: deviceKeyId }
}
