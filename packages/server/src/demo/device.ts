/**
 * A device that registers, opens a session and refreshes it, as snapd does. It uses only HTTP, and proves its identity
 * with signatures of its own key.
 */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import {
  ASSERTION_MEDIA_TYPE,
  AssertionError,
  type AssertionOf,
  decode,
  decodeStream,
  encode,
  encodePublicKey,
  expectType,
  formatTimestamp,
  type PrivateKey,
  sign,
} from '@ratafia/assertions'
import { systemClock } from '../clock.ts'
import { objectIn } from '../foreign-json.ts'

interface DeviceRequest {
  readonly method: 'GET' | 'POST'
  /** The path from the root of the service. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request, and returns the body of a 2xx answer. For any other answer, throws the service's reason. */
export type Send = (request: DeviceRequest) => Promise<string>

/** The error for an answer that is not in the form of a device service's. */
export class StrangeAnswer extends Error {
  override readonly name = 'StrangeAnswer'
}

export interface NewDevice {
  /** The text of the model assertion. */
  readonly model: string
  readonly key: PrivateKey
  readonly send: Send
}

interface Registration {
  /** The serial number that the device proposes. Default: the service chooses one. */
  readonly proposedSerial?: string | undefined
  /** YAML for the body of the serial assertion. */
  readonly body?: Uint8Array | undefined
  /** For a model with API keys. */
  readonly apiKey?: string | undefined
}

export type Serial = AssertionOf<'serial'>

export interface Device {
  /**
   * Gets a request-id, and sends a serial-request signed with the device key. Returns the serial; undefined while the
   * device waits for approval. Throws {@link StrangeAnswer}, and the errors of {@link Send}.
   */
  register(registration?: Registration): Promise<Serial | undefined>
  /**
   * Gets a nonce, and sends a device-session-request signed with the device key. Returns the session's macaroon, which
   * replaces `previous`. Throws as `register` does.
   */
  openSession(serial: Serial, previous?: string): Promise<string>
  /** Returns what the service tells a store about the session, as JSON. */
  showSession(session: string): Promise<string>
}

/** Throws `AssertionError` if `model` is not a model assertion. */
export function createDevice({ model, key, send }: NewDevice): Device {
  const { fields } = expectType(decode(model), 'model')
  const named = { 'brand-id': fields.brandId, model: fields.model }

  /** Returns a field of a JSON answer. */
  const fieldOf = async (field: string, path: string, request: Partial<DeviceRequest> = {}) => {
    const answer = await send({ method: 'POST', path: `${PREFIX}${path}`, ...request })
    const value = objectIn(answer)?.[field]
    if (typeof value !== 'string') throw new StrangeAnswer(`an answer without "${field}"`)
    return value
  }

  const signed = (
    type: 'serial-request' | 'device-session-request',
    headers: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ) => {
    const draft = { type, headers: { ...named, ...headers }, ...(body && { body }) }
    return textOf(sign(draft, key, { signedAt: systemClock() }))
  }

  return {
    async register({ proposedSerial, body, apiKey } = {}) {
      const request = signed(
        'serial-request',
        {
          ...(proposedSerial === undefined ? {} : { serial: proposedSerial }),
          'request-id': await fieldOf('request-id', '/request-id'),
          'device-key': encodePublicKey(key.publicKey).trimEnd(),
        },
        body,
      )
      const answer = await send({
        method: 'POST',
        path: `${PREFIX}/devices`,
        headers: {
          'content-type': ASSERTION_MEDIA_TYPE,
          'snap-device-capabilities': 'serial-stream',
          ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
        },
        body: `${request}\n${model}`,
      })
      return answer === '' ? undefined : serialIn(answer)
    },

    async openSession(serial, previous) {
      const request = signed('device-session-request', {
        serial: serial.fields.serial,
        nonce: await fieldOf('nonce', '/nonces'),
        timestamp: formatTimestamp(systemClock()),
      })
      return fieldOf('macaroon', '/sessions', {
        headers: {
          'content-type': 'application/json',
          ...(previous === undefined ? {} : presenting(previous)),
        },
        body: JSON.stringify({
          'device-session-request': request,
          'serial-assertion': textOf(serial),
          'model-assertion': model,
        }),
      })
    },

    showSession: (session) => send({ method: 'GET', path: '/device-session', headers: presenting(session) }),
  }
}

/** Creates a device key of the size that snapd uses. Returns it as PEM. */
export async function newDeviceKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 4096 })
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

const PREFIX = '/api/v1/snaps/auth'

const presenting = (macaroon: string) => ({ 'x-device-authorization': `Macaroon root="${macaroon}"` })

function serialIn(answer: string): Serial {
  try {
    const serial = decodeStream(Buffer.from(answer)).find(({ type }) => type === 'serial')
    if (serial) return expectType(serial, 'serial')
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
  }
  throw new StrangeAnswer('no serial assertion')
}

const textOf = (assertion: Parameters<typeof encode>[0]): string => Buffer.from(encode(assertion)).toString()
