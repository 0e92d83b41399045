/**
 * Runs a login from creation to revocation, and the requests of devices, with openapi-fetch and the types that
 * openapi-typescript generated from the OpenAPI document. Only the binding of macaroons uses npm macaroon. Reads one
 * JSON command per line, and writes one JSON answer per line.
 */
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/api.ts'

type Api = ReturnType<typeof createClient<paths>>
type DischargeRequest = components['schemas']['DischargeRequest']

/** The part of the package that is used here. The package has no types. */
interface NpmMacaroon {
  importMacaroon(json: object): Bindable
}
interface Bindable {
  readonly signature: Uint8Array
  bindToRoot(signature: Uint8Array): void
  exportJSON(): object
}
const { importMacaroon } = createRequire(import.meta.url)('macaroon') as NpmMacaroon

type Command =
  | { readonly do: 'life'; readonly service: string; readonly description: string }
  | { readonly do: 'once'; readonly service: string }
  | { readonly do: 'register'; readonly service: string; readonly stream: string }
  | {
      readonly do: 'session'
      readonly service: string
      readonly body: components['schemas']['OpenSessionRequest']
    }

/** Returns the body of a 200. Throws an `Error` with the body of any other answer. */
async function ok<T>(
  request: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await request
  if (data === undefined) throw new Error(`${response.status}: ${JSON.stringify(error)}`)
  return data
}

/** Returns the options that make openapi-fetch send a form. */
const form = (body: DischargeRequest) =>
  ({ body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }) as const

/** Logs in and returns the token. Prints the address that the user has to open. */
async function login(api: Api, description: string): Promise<string> {
  const created = await ok(
    api.POST('/api/v2/tokens', {
      body: {
        permissions: ['package_access', 'package_upload'],
        channels: ['edge'],
        packages: [{ name: 'hello-world' }],
        expires: '2099-01-31T12:00:00Z',
        description,
      },
    }),
  )
  const root = JSON.parse(created.macaroon) as {
    readonly c: readonly { readonly i?: string; readonly i64?: string; readonly l?: string }[]
  }
  const caveat = root.c.find(({ l }) => l !== undefined)
  const wanted: DischargeRequest = caveat?.i64 === undefined ? { id: caveat?.i ?? '' } : { id64: caveat.i64 }
  const { error } = await api.POST('/identity/discharge', form(wanted))
  if (!error || !('Code' in error) || !error.Info) throw new Error('the answer has no login methods')
  const { VisitURL, WaitTokenURL } = error.Info.InteractionMethods['browser-window']
  say({ visit: VisitURL })
  const did = new URL(WaitTokenURL).searchParams.get('did') ?? ''
  const { kind, token64 } = await ok(api.GET('/identity/wait-token', { params: { query: { did } } }))
  const { Macaroon } = await ok(
    api.POST('/identity/discharge', form({ ...wanted, token64, 'token-kind': kind })),
  )
  const first = importMacaroon(root)
  const second = importMacaroon((Macaroon['m'] ?? Macaroon) as object)
  second.bindToRoot(first.signature)
  const list = JSON.stringify([first.exportJSON(), second.exportJSON()])
  const Macaroons = Buffer.from(list).toString('base64url')
  const exchanged = await ok(
    api.POST('/api/v2/tokens/exchange', { params: { header: { Macaroons } }, body: {} }),
  )
  return exchanged.macaroon
}

const COMMANDS = {
  async life({ service, description }: Extract<Command, { do: 'life' }>) {
    const token = await login(createClient<paths>({ baseUrl: service }), description)
    const api = createClient<paths>({ baseUrl: service, headers: { Authorization: `Macaroon ${token}` } })
    const { account, channels, permissions } = await ok(api.GET('/api/v2/tokens/whoami'))
    const [listed] = (await ok(api.GET('/api/v2/tokens'))).macaroons
    if (!listed) throw new Error('nothing is listed')
    const body = { 'session-id': listed['session-id'] }
    const [revoked] = (await ok(api.POST('/api/v2/tokens/revoke', { body }))).macaroons
    const { response, error } = await api.GET('/api/v2/tokens/whoami')
    const after = { status: response.status, code: error?.error_list[0]?.code }
    return { account, channels, permissions, listed, revoked, after }
  },

  async once({ service }: Extract<Command, { do: 'once' }>) {
    const api = createClient<paths>({ baseUrl: service })
    return {
      ...(await ok(api.POST('/api/v1/snaps/auth/nonces'))),
      ...(await ok(api.POST('/api/v1/snaps/auth/request-id'))),
      discharger: (await ok(api.GET('/identity/discharge/info'))).Version,
    }
  },

  async register({ service, stream }: Extract<Command, { do: 'register' }>) {
    const api = createClient<paths>({ baseUrl: service })
    const serial = await ok(
      api.POST('/api/v1/snaps/auth/devices', {
        body: stream,
        bodySerializer: (text) => text,
        headers: { 'Content-Type': 'application/x.ubuntu.assertion' },
        parseAs: 'text',
      }),
    )
    return { serial }
  },

  async session({ service, body }: Extract<Command, { do: 'session' }>) {
    const api = createClient<paths>({ baseUrl: service })
    const { macaroon } = await ok(api.POST('/api/v1/snaps/auth/sessions', { body }))
    const header = { 'X-Device-Authorization': `Macaroon root="${macaroon}"` }
    const device = await ok(api.GET('/device-session', { params: { header } }))
    const path = { series: '16', 'brand-id': device['brand-id'], model: device.model }
    const model = await ok(
      api.GET('/v2/assertions/model/{series}/{brand-id}/{model}', { params: { path }, parseAs: 'text' }),
    )
    return { device, model }
  },
}

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

function carryOut(command: Command): Promise<object> {
  switch (command.do) {
    case 'life':
      return COMMANDS.life(command)
    case 'once':
      return COMMANDS.once(command)
    case 'register':
      return COMMANDS.register(command)
    case 'session':
      return COMMANDS.session(command)
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  try {
    say(await carryOut(JSON.parse(line) as Command))
  } catch (error) {
    say({ error: 'Error', message: String(error) })
  }
}
