/**
 * A device in one file, which registers, opens a session, shows it and refreshes it, as snapd does. It uses only
 * HTTP, and proves its identity with signatures.
 *
 *   npm run demo:device -- DIRECTORY [URL] [OPTIONS]
 *
 * `--help` lists the options.
 */
import { generateKeyPair } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import {
  ASSERTION_MEDIA_TYPE,
  decode,
  decodeStream,
  encode,
  encodePublicKey,
  expectType,
  formatTimestamp,
  type PrivateKey,
  privateKeyFromPem,
  sign,
} from '@ratafia/assertions'

const HELP = `Usage: npm run demo:device -- DIRECTORY [URL] [OPTIONS]

Registers a device, opens a session, shows it and refreshes it. In a second run, the device is already registered.

DIRECTORY contains the model assertion, as written by \`ratafia brands create --demo\`. URL is the address of the
service (default: http://127.0.0.1:8080).

  --model FILE              the model assertion (default: model-… in DIRECTORY)
  --state DIRECTORY         the directory for the device's key and serial (default: DIRECTORY/device)
  --api-key KEY             the API key to send with the registration, for a model with API keys
  --proposed-serial SERIAL  the serial number that the device proposes
  --body FILE               a YAML file for the body of the device's serial assertion
  --no-session              only register
  --help                    print this help
`

const { directory, url, options } = readArguments()

// The service's refusals are written for people, so print only the message.
process.once('uncaughtException', ({ message }) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
})

// The reader of the output has closed it, as `head` does.
process.stdout.once('error', () => process.exit())

const modelText = await readModel()
const { fields } = expectType(decode(modelText), 'model')
const state = options.state ?? join(directory, 'device')
await mkdir(state, { recursive: true, mode: 0o700 })
const key = await readOrMakeKey(join(state, 'device.pem'))
say(`The device key is ${key.publicKey.id}.`)

const serial = await register()
const { fields: granted, authorityId } = expectType(serial, 'serial')
await writeFile(join(state, 'serial'), encode(serial))
say(`Registered: ${fields.brandId}/${fields.model}/${granted.serial}, signed by ${authorityId}.`)

if (!options['no-session']) {
  const session = await openSession()
  say(`Session: ${session.slice(0, 24)}…`)
  say(`Session details: ${await text('GET', '/device-session', presenting(session))}`)
  const refreshed = await openSession(session)
  say(`Refreshed: ${refreshed.slice(0, 24)}…`)
}

function readArguments() {
  try {
    const string = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        ...{ model: string, state: string, 'api-key': string, 'proposed-serial': string, body: string },
        ...{ 'no-session': flag, help: flag },
      },
    })
    const [directory, url = 'http://127.0.0.1:8080', ...more] = positionals
    if (values.help) {
      process.stdout.write(HELP)
      process.exit()
    }
    if (directory === undefined) throw new Error('Pass the directory that contains the model assertion.')
    if (more.length > 0) throw new Error(`Unexpected arguments: ${more.join(' ')}.`)
    return { directory, url: url.replace(/\/+$/, ''), options: values }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`)
    process.exit(2)
  }
}

/** Gets a request-id, sends a serial-request signed with the device key, and returns the serial. */
async function register() {
  const { 'request-id': requestId } = await json('/request-id')
  const headers = {
    'brand-id': fields.brandId,
    model: fields.model,
    ...(options['proposed-serial'] === undefined ? {} : { serial: options['proposed-serial'] }),
    'request-id': requestId ?? '',
    'device-key': encodePublicKey(key.publicKey).trimEnd(),
  }
  const body = options.body === undefined ? undefined : await readFile(options.body)
  const request = signed('serial-request', headers, body)
  const apiKey = options['api-key']
  const answer = await text('POST', '/api/v1/snaps/auth/devices', {
    headers: {
      'content-type': ASSERTION_MEDIA_TYPE,
      'snap-device-capabilities': 'serial-stream',
      ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
    },
    body: `${request}\n${modelText}`,
  })
  if (answer === '') throw new Error('The device is pending. Run this again once it is approved.')
  const assertion = decodeStream(Buffer.from(answer)).find(({ type }) => type === 'serial')
  if (!assertion) throw new Error("The service's answer has no serial.")
  return assertion
}

/** Gets a nonce, sends a device-session-request signed with the device key, and returns the session's macaroon. */
async function openSession(previous?: string): Promise<string> {
  const { nonce } = await json('/nonces')
  const request = signed('device-session-request', {
    'brand-id': fields.brandId,
    model: fields.model,
    serial: granted.serial,
    nonce: nonce ?? '',
    timestamp: formatTimestamp(new Date()),
  })
  const body = {
    'device-session-request': request,
    'serial-assertion': Buffer.from(encode(serial)).toString(),
    'model-assertion': modelText,
  }
  const { macaroon = '' } = await json('/sessions', {
    headers: { 'content-type': 'application/json', ...(previous ? presenting(previous).headers : {}) },
    body: JSON.stringify(body),
  })
  return macaroon
}

function signed(
  type: 'serial-request' | 'device-session-request',
  headers: Record<string, string>,
  body?: Uint8Array,
): string {
  const draft = { type, headers, ...(body && { body }) }
  return Buffer.from(encode(sign(draft, key, { signedAt: new Date() }))).toString()
}

function presenting(macaroon: string) {
  return { headers: { 'x-device-authorization': `Macaroon root="${macaroon}"` } }
}

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: string
}

async function json(path: string, sent: Sent = {}): Promise<Record<string, string>> {
  return JSON.parse(await text('POST', `/api/v1/snaps/auth${path}`, sent))
}

async function text(method: string, path: string, sent: Sent): Promise<string> {
  const response = await fetch(`${url}${path}`, { method, ...sent }).catch(() => {
    throw new Error(`Can't reach ${url}. Check that the service is running.`)
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${body}`)
  return body
}

async function readModel(): Promise<string> {
  const { model } = options
  if (model !== undefined) {
    return readFile(model, 'utf8').catch(() => {
      throw new Error(`${model} cannot be read. Pass the file of the model assertion.`)
    })
  }
  const names = await readdir(directory).catch(() => {
    throw new Error(`There is no directory ${directory}.`)
  })
  const name = names.find((file) => file.startsWith('model-'))
  if (name === undefined) throw new Error(`There is no model-… in ${directory}. Pass --model.`)
  return readFile(join(directory, name), 'utf8')
}

async function readOrMakeKey(file: string): Promise<PrivateKey> {
  const existing = await readFile(file, 'utf8').catch(() => undefined)
  if (existing !== undefined) return privateKeyFromPem(existing)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 4096 })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await writeFile(file, pem, { mode: 0o600 })
  return privateKeyFromPem(pem)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
