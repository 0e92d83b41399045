/** A stub of the service for `ratafia tokens create`. Each test changes one answer. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach } from 'node:test'
import {
  addBakeryCaveat,
  discharge,
  encodeBakeryMacaroon,
  generateKeyPair,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { tokensCreate } from './login-command.ts'

export type Respond = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void | Promise<void>

/** The answers, by method and path. */
export type Routes = Readonly<Record<string, Respond>>

const shop = generateKeyPair()
/** The key pair of the identity service. */
export const identity = generateKeyPair()

export interface LoginStubs {
  /**
   * Starts a service that listens until the test has ended, and returns its URL. Other paths get 404 without a body.
   */
  serve(routes: Routes): Promise<string>
  /** Returns the exit code and the error of `tokens create`, with `URL` in place of the service's URL. */
  outcome(routes: Routes, words?: readonly string[]): Promise<Outcome>
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly said: string
}

/** Creates stubs of services. Call it inside a suite. */
export function loginStubs(): LoginStubs {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
  async function serve(routes: Routes): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const path = `${request.method} ${request.url?.split('?', 1)[0]}`
      const respond = routes[path] ?? ((_, to) => void to.writeHead(404).end())
      await respond(request, response, Buffer.concat(chunks).toString())
    })
    servers.push(server)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('no address')
    return `http://127.0.0.1:${address.port}`
  }

  async function outcome(routes: Routes, words: readonly string[] = []) {
    const url = await serve({ ...WORKS, ...routes })
    const { code, stdout, stderr } = await tokensCreate(['--all', '--for', 'raw', '--url', url, ...words])
    const complaint = stderr.split('\n').filter((line) => line.startsWith('ratafia: '))
    return { code, stdout, said: complaint.join('\n').replaceAll(url, 'URL') }
  }

  return { serve, outcome }
}

export const json =
  (value: unknown, status = 200, headers = {}): Respond =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value))
export const refusal = (code: string, message: string) => ({ error_list: [{ code, message, extra: {} }] })

const described: Respond = (request, response) => {
  const self = `http://${request.headers.host}`
  const links = { self, 'sign-on': self, identity: `${self}/identity` }
  json({ service: 'ratafia', links })(request, response, '')
}
/** Answers with the root of a login, whose caveat `location` discharges (default: this server). */
export const rootFor =
  (location?: string): Respond =>
  (request, response) => {
    const thirdParty = {
      location: location ?? `http://${request.headers.host}/identity`,
      version: 3 as const,
    }
    const minted = mintBakeryMacaroon({
      rootKey: randomBytes(32),
      id: randomBytes(16),
      location: 'x',
      version: 2,
    })
    const root = addBakeryCaveat(minted, {
      condition: 'need-declared userid is-authenticated-userid',
      thirdParty: { ...thirdParty, publicKey: identity.publicKey },
      firstParty: shop,
    })
    json({ macaroon: JSON.stringify(encodeBakeryMacaroon({ ...root, version: 2 })) })(request, response, '')
  }
/** Offers a login in the browser, and discharges when the client returns with a token. */
const discharged: Respond = (request, response, body) => {
  const parameters = new URLSearchParams(body)
  const here = `http://${request.headers.host}/identity`
  if (!parameters.has('token64')) {
    const InteractionMethods = {
      'browser-window': { VisitURL: `${here}/login?did=1`, WaitTokenURL: `${here}/wait?did=SECRET` },
      agent: { 'login-url': `${here}/agent?did=1` },
    }
    const Info = { InteractionMethods }
    return json({ Code: 'interaction required', Message: 'Log in first', Info }, 401)(request, response, '')
  }
  const id = Buffer.from(parameters.get('id64') ?? '', 'base64')
  const check = () => ['declared userid x']
  return discharge({ id, keyPairs: [identity], check }).then((one) =>
    json({ Macaroon: encodeBakeryMacaroon(one) })(request, response, ''),
  )
}
const exported = json({ 'session-id': '00-aa', root: 'cm9vdA', discharge: 'ZGlz', macaroon: 'AgEXdG9rZW4' })

/** The answers to all requests of a login. */
export const WORKS: Routes = {
  'GET /': described,
  'POST /api/v2/tokens': rootFor(),
  'POST /identity/discharge': discharged,
  'GET /identity/wait': json({ kind: 'login', token64: 'dG9rZW4=' }),
  'POST /api/v2/tokens/export': exported,
}
