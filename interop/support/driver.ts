/** A client program that reads one JSON command per line, and writes one JSON answer per line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { endWithThisProcess } from './end-with-this-process.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

/** The answer of a client program, whose members depend on the command. */
export interface Answer {
  readonly error?: string
  readonly message?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly token?: string
  readonly macaroons?: string
  readonly credentials?: string
  readonly conditions?: readonly string[]
  readonly list?: string
  readonly code?: string
  /** The requests that the client sent for the command, such as `POST /dev/api/acl/`. */
  readonly requests?: readonly string[]
  readonly visit?: string
}

export interface Driver<A = Answer> {
  /** Sends a command and returns its first answer. Fails if the program exits instead. */
  ask(command: Readonly<Record<string, unknown>>): Promise<A>
  /** Returns the next answer to a command with several answers. */
  next(): Promise<A>
  close(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

export const pythonBakery = (environment: Settings = {}): Driver =>
  start(clientPaths.python, [join(clientPaths.interop, 'clients/python_bakery.py')], environment)

export const goBakery = (environment: Settings = {}): Driver =>
  start(clientPaths.goBakery, ['v3'], environment)

const goBakeryV2 = (environment: Settings = {}): Driver => start(clientPaths.goBakery, ['v2'], environment)

/** The bakery clients, by their names in titles. */
export const BAKERIES = {
  'Python macaroonbakery': pythonBakery,
  'Go httpbakery v3': goBakery,
  'Go httpbakery v2': goBakeryV2,
} as const

const oauthInPython = (name: string) => (service: string) =>
  start(clientPaths.python, [join(clientPaths.interop, 'clients/oauth_clients.py'), name, service], {})

/** OAuth libraries, which do not know this service, by their names in titles. */
export const OAUTH_CLIENTS: Readonly<Record<string, (service: string) => Driver>> = {
  'openid-client': (service) =>
    start(process.execPath, [join(clientPaths.interop, 'clients/openid_client.mjs'), service], {}),
  'requests-oauthlib': oauthInPython('requests-oauthlib'),
  Authlib: oauthInPython('Authlib'),
}

export const rustMacaroons = (): Driver => start(clientPaths.rustMacaroons, [], {})

export const craftStore = (
  service: string,
  environment: Settings = {},
  endpoints: 'SNAP_STORE' | 'CHARMHUB' = 'SNAP_STORE',
): Driver =>
  start(
    clientPaths.python,
    [join(clientPaths.interop, 'clients/craft_store_client.py'), service, endpoints],
    environment,
  )

/** Each snapcraft whose store layer is a craft-store of PyPI, by its name in titles. */
export const SNAPCRAFTS = {
  'store layer of snapcraft 8 and newer': { python: clientPaths.python, version: '9.1.0' },
  'store layer of snapcraft 7': { python: clientPaths.snapcraft7Python, version: '7.5.9' },
} as const

export type Snapcraft = (typeof SNAPCRAFTS)[keyof typeof SNAPCRAFTS]

export const snapcraftStoreLayer = (
  { python, version }: Snapcraft,
  service: string,
  environment: Settings = {},
): Driver =>
  start(
    python,
    [join(clientPaths.interop, 'clients/snapcraft_store_layer.py'), service, version],
    environment,
  )

export const gatewayClient = (service: string, environment: Settings = {}): Driver =>
  start(clientPaths.python, [join(clientPaths.interop, 'clients/gateway_client.py'), service], environment)

/** Starts a client program; `A` is the type of its answers. */
export function start<A = Answer>(
  program: string,
  words: readonly string[],
  environment: Settings,
): Driver<A> {
  const child = spawn(program, words, { env: cleanEnvironment(environment), stdio: 'pipe' })
  endWithThisProcess(child)
  let told = ''
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  // A failed write to a program that has exited shows as a missing answer.
  child.stdin.on('error', () => {})
  const answers = lines(createInterface({ input: child.stdout, crlfDelay: Infinity }))
  const next = async (): Promise<A> => {
    const line = await answers.next()
    if (line.done) throw new Error(`${program} exited without an answer: ${told.trim()}`)
    return JSON.parse(line.value) as A
  }
  return {
    next,
    ask: (command) => {
      child.stdin.write(`${JSON.stringify(command)}\n`)
      return next()
    },
    close: () => close(child),
  }
}

async function* lines(reader: Interface): AsyncGenerator<string, undefined> {
  for await (const line of reader) {
    // snapd's packages report the machine's AppArmor before the first command.
    if (line.startsWith('{')) yield line
  }
  return undefined
}

async function close(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  // A client that waits for its user does not read its input.
  child.kill('SIGTERM')
  await ended
}
