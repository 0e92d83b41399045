/** An identity service on a free port, a bakery client and a browser, for tests over HTTP. */
import { randomBytes } from 'node:crypto'
import { encodeBase64, encodeBase64Url } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  type BakeryVersion,
  decodeBakeryMacaroon,
  encodeCaveatId,
  generateKeyPair,
  type KeyPair,
} from '@ratafia/macaroon/bakery'
import fastify, { type FastifyInstance } from 'fastify'
import { freePort } from '../../../../tools/test/free-port.ts'
import type { AuthoredStores } from '../../src/change.ts'
import type { Database } from '../../src/database/index.ts'
import { addClients, clientsOf } from '../../src/http/client.ts'
import { type IdentityOptions, identityRoutes } from '../../src/identity/routes.ts'
import { type Keyring, openKeyring } from '../../src/keyring/keyring.ts'
import { createSealer } from '../../src/keyring/sealing.ts'
import { cheapPasswords } from './passwords.ts'
import { storesOf } from './stores.ts'

/** A clock that only moves when a test advances it. */
export interface TestClock {
  (): Date
  advance(milliseconds: number): void
}

export function testClock(start = '2026-11-20T10:00:00.000Z'): TestClock {
  let now = Date.parse(start)
  return Object.assign(() => new Date(now), {
    advance: (milliseconds: number) => {
      now += milliseconds
    },
  })
}

export interface IdentityWorld extends Omit<IdentityOptions, 'throttle'>, AuthoredStores {
  readonly database: Database
  readonly clock: TestClock
}

const SECRET = Buffer.alloc(32, 1)

export async function identityWorld(database: Database): Promise<IdentityWorld> {
  const clock = testClock()
  const stores = storesOf(database, {
    clock,
    keyring: await openKeyring({ database, secret: SECRET, clock }),
    sealer: createSealer(SECRET),
    passwords: cheapPasswords(),
  })
  return { ...stores, database, location: 'set when it listens' }
}

export interface RunningIdentity {
  readonly app: FastifyInstance
  readonly location: string
}

/** Starts an identity service that trusts the tests as a proxy, so that `X-Forwarded-For` sets a request's address. */
export async function startIdentity(
  { database: _, ...world }: IdentityWorld,
  options: Partial<IdentityOptions> = {},
  prefix = '/identity',
): Promise<RunningIdentity> {
  const app = fastify({ forceCloseConnections: 'idle' })
  addClients(app, clientsOf(['127.0.0.1']))
  // A request that waits calls it to leave the limit on requests in flight, which this service does not have.
  app.decorateReply('hold', () => {})
  // The routes need to know the port.
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const location = options.location ?? `${origin}${prefix}`
  await app.register(identityRoutes, { prefix, ...world, ...options, location })
  await app.listen({ host: '127.0.0.1', port })
  return { app, location: `${origin}${prefix}` }
}

/** A caveat that is sealed to the identity service, as the issuer of tokens creates it. */
export interface Caveat {
  readonly id: Uint8Array
  readonly payload: Uint8Array | undefined
}

export async function caveatFor(
  keyring: Keyring,
  condition: string,
  { version = 2, firstParty }: { version?: BakeryVersion; firstParty?: KeyPair } = {},
): Promise<Caveat> {
  const [discharger] = await keyring.dischargerKeyPairs()
  const sealed = encodeCaveatId({
    version,
    condition,
    rootKey: randomBytes(24),
    thirdPartyPublicKey: discharger.publicKey,
    firstParty: firstParty ?? (await keyring.sealingKeyPair()),
  })
  return version === 3 ? { id: Buffer.from([3, 0]), payload: sealed } : { id: sealed, payload: undefined }
}

export const stranger = (): KeyPair => generateKeyPair()

interface BakeryAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: only assertions read it
  readonly body: any
}

export async function answer(response: Response): Promise<BakeryAnswer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** Posts a discharge as clients in Python and JavaScript do (a form), or as Go does (`how: 'query'`). */
export async function postDischarge(
  location: string,
  { id, payload }: Caveat,
  token?: { readonly kind: string; readonly token?: string; readonly token64?: string },
  { how = 'form', headers = {} }: { how?: 'form' | 'query'; headers?: Record<string, string> } = {},
): Promise<BakeryAnswer> {
  const parameters = new URLSearchParams({ id64: encodeBase64(id) })
  if (payload) parameters.set('caveat64', encodeBase64Url(payload))
  if (token) parameters.set('token-kind', token.kind)
  if (token?.token !== undefined) parameters.set('token', token.token)
  if (token?.token64 !== undefined) parameters.set('token64', token.token64)
  const url = how === 'query' ? `${location}/discharge?${parameters}` : `${location}/discharge`
  const init: RequestInit = { method: 'POST', headers: { 'Bakery-Protocol-Version': '3', ...headers } }
  return answer(await fetch(url, how === 'query' ? init : { ...init, body: parameters }))
}

export const bakeryMacaroonOf = ({ body }: BakeryAnswer): BakeryMacaroon =>
  decodeBakeryMacaroon(body.Macaroon)

export interface PageForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly title: string
  readonly forms: readonly PageForm[]
}

/** A browser that keeps cookies, follows redirects and fills in forms. It runs no scripts, and the pages need none. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly setCookies: string[] = []
  readonly #headers: Record<string, string>
  readonly #behind: (url: string) => string

  /** `behind` maps a public URL to the address that the service listens on, as a reverse proxy does. */
  constructor(
    headers: Record<string, string> = {},
    { behind = (url) => url }: { readonly behind?: (url: string) => string } = {},
  ) {
    this.#headers = headers
    this.#behind = behind
  }

  async open(url: string): Promise<Page> {
    return this.#follow(url, {})
  }

  /** Submits the page's form with this action, with `changes` to its fields. */
  async submit(page: Page, action: string, changes: Record<string, string | undefined> = {}): Promise<Page> {
    const form = page.forms.find((candidate) => candidate.action === action)
    if (!form) throw new Error(`no form ${action} on “${page.title}”`)
    const fields = Object.entries({ ...form.fields, ...changes }).filter(([, value]) => value !== undefined)
    return this.post(new URL(action, page.url).href, Object.fromEntries(fields) as Record<string, string>)
  }

  /** Submits a form, and returns the URL of another site if the answer redirects there; otherwise undefined. */
  leave(
    page: Page,
    action: string,
    changes: Record<string, string | undefined> = {},
  ): Promise<string | undefined> {
    return whereLeft(() => this.submit(page, action, changes))
  }

  /** Opens a URL, and returns the URL of another site if the answer redirects there; otherwise undefined. */
  goneTo(url: string): Promise<string | undefined> {
    return whereLeft(() => this.open(url))
  }

  async post(
    url: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.#follow(url, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  /** Returns the redirect of a URL without following it, or null if the answer is a page. */
  async hop(url: string): Promise<string | null> {
    const response = await this.#send(url, {})
    await response.body?.cancel()
    return response.headers.get('location')
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'user-agent': 'Test browser', ...this.#headers, ...init.headers, cookie }
    const response = await fetch(this.#behind(url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  async #follow(url: string, init: RequestInit): Promise<Page> {
    const response = await this.#send(url, init)
    const target = response.headers.get('location')
    if (response.status === 303 && target !== null) {
      await response.body?.cancel()
      const next = new URL(target, url)
      if (next.origin !== new URL(url).origin) throw new LeftSite(next.href)
      return this.#follow(next.href, {})
    }
    return pageOf(url, response, await response.text())
  }
}

/** Thrown when the browser is redirected to another site, which tests do not have. */
class LeftSite extends Error {
  readonly to: string

  constructor(to: string) {
    super(`left for ${to}`)
    this.to = to
  }
}

async function whereLeft(work: () => Promise<Page>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof LeftSite) return error.to
    throw error
  }
}

function pageOf(url: string, { status, headers }: Response, text: string): Page {
  const [, title = ''] = /<h1[^>]*>([^<]*)<\/h1>/.exec(text) ?? []
  const forms = [...text.matchAll(/<form[^>]* action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action, body]) => ({
      action: String(action),
      fields: Object.fromEntries(
        [...String(body).matchAll(/<input[^>]*name="([^"]*)"(?:[^>]*?value="([^"]*)")?[^>]*>/g)].map(
          ([, name, value]) => [String(name), unescaped(value ?? '')],
        ),
      ),
    }),
  )
  return { url, status, headers, text, title: unescaped(title), forms }
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
