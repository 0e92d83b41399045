/** `ratafia demo device`: a device whose key and serial are files. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AssertionError,
  decode,
  encode,
  expectType,
  type PrivateKey,
  privateKeyFromPem,
} from '@ratafia/assertions'
import { parseServiceUrl } from '../../config/values.ts'
import { STANDARD_ADDRESS } from '../../config/variables/commands.ts'
import { createDevice, type Device, newDeviceKey, type Serial, StrangeAnswer } from '../../demo/device.ts'
import { makeDirectories } from '../../files/make-directories.ts'
import { systemReason } from '../../text/system-reason.ts'
import { type CommandContext, FileError, ServiceRefusal, type Streams, UsageError } from '../context.ts'
import { writeText } from '../files/write-whole.ts'
import { cannotBeRead, readGiven, readStandardInput, textOfFile } from '../files.ts'
import { harmless } from '../terminal/harmless.ts'
import { sendTo } from './send.ts'

export interface DeviceOptions {
  readonly brand: string
  readonly model?: string
  readonly state?: string
  readonly apiKeyStdin?: boolean
  readonly proposedSerial?: string
  readonly body?: string
  readonly session: boolean
}

/** `typed`: the service's address. Throws {@link UsageError}, {@link FileError}, and as {@link sendTo} does. */
export async function demoDevice(
  typed: string | undefined,
  options: DeviceOptions,
  { streams }: CommandContext,
): Promise<void> {
  const url = typed === undefined ? STANDARD_ADDRESS : readUrl(typed)
  const say = (line: string) => void streams.stdout.write(`${harmless(line)}\n`)
  const model = await readModel(options, streams)
  const body = options.body === undefined ? undefined : (await readGiven(options.body, streams)).bytes
  const apiKey = options.apiKeyStdin ? await readApiKey(streams) : undefined
  const state = options.state ?? join(options.brand, 'device')
  await makeDirectories(state).catch((error: unknown) => {
    throw new FileError(`${state} cannot be created: ${systemReason(error)}.`)
  })
  const key = await readOrCreateKey(join(state, 'device.pem'))
  const device = createDevice({ model, key, send: sendTo(url) })
  say(`The device key is ${key.publicKey.id}.`)
  try {
    const { proposedSerial } = options
    const serial = await device.register({ apiKey, proposedSerial, body })
    if (!serial) throw new ServiceRefusal('The device is pending. Run this again once it is approved.')
    await writeText(Buffer.from(encode(serial)).toString(), join(state, 'serial'))
    const { brandId, model: name, serial: number } = serial.fields
    say(`Registered: ${brandId}/${name}/${number}, signed by ${serial.authorityId}.`)
    if (options.session) await showSessions(device, serial, say)
  } catch (error) {
    // The proposed serial number or the body breaks a rule of assertions.
    if (error instanceof AssertionError)
      throw new UsageError(`The device can't ask for this: ${error.message}.`)
    if (!(error instanceof StrangeAnswer)) throw error
    throw new ServiceRefusal(`${url} sent ${error.message}. It may be another program. Check the URL.`)
  }
}

async function showSessions(device: Device, serial: Serial, say: (line: string) => void): Promise<void> {
  const session = await device.openSession(serial)
  say(`Session: ${session.slice(0, 24)}…`)
  say(`Session details: ${await device.showSession(session)}`)
  const refreshed = await device.openSession(serial, session)
  say(`Refreshed: ${refreshed.slice(0, 24)}…`)
}

function readUrl(text: string): string {
  try {
    return parseServiceUrl(text)
  } catch (error) {
    throw new UsageError(`The URL ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function readApiKey(streams: Streams): Promise<string> {
  const apiKey = textOfFile(await readStandardInput(streams)).trim()
  // A header can have no other characters.
  if (/^[!-~]+$/.test(apiKey)) return apiKey
  throw new UsageError('There is no API key on standard input, or it is not a single word of ASCII.')
}

/** Returns the text of the model assertion. */
async function readModel({ brand, model }: DeviceOptions, streams: Streams): Promise<string> {
  const file = await readGiven(model ?? (await modelIn(brand)), streams)
  const text = textOfFile(file)
  try {
    expectType(decode(text), 'model')
    return text
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw new FileError(`${file.name} is not a model assertion: ${error.message}. Pass --model.`)
  }
}

async function modelIn(directory: string): Promise<string> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(directory, error)
  })
  const name = names.find((file) => file.startsWith('model-'))
  if (name === undefined) throw new FileError(`There is no model-… in ${directory}. Pass --model.`)
  return join(directory, name)
}

async function readOrCreateKey(file: string): Promise<PrivateKey> {
  const existing = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw cannotBeRead(file, error)
  })
  const pem = existing === undefined ? await newDeviceKey() : textOfFile({ name: file, bytes: existing })
  // It exists before the service knows the device, which could not prove its identity without it.
  if (existing === undefined) await writeText(pem, file, { secret: true })
  try {
    return privateKeyFromPem(pem)
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw new FileError(`${file} is not a device key: ${error.message}. Remove it, or pass another --state.`)
  }
}
