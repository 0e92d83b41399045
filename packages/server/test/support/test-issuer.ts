/**
 * An issuer of ID tokens in this process, on a loopback address, with a discovery document, keys and signed claims. It
 * signs with Node's own functions, so that signer and verifier do not use the same library.
 */
import assert from 'node:assert/strict'
import { generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { before } from 'node:test'
import { promisify } from 'node:util'
import { onLoopback } from './loopback.ts'

type Algorithm = 'ES256' | 'RS256'
type Claims = Readonly<Record<string, unknown>>

/**
 * `well`: answers. `failing`: answers 500. `silent`: accepts requests and never answers. `away`: closes connections.
 */
type Behaviour = 'well' | 'failing' | 'silent' | 'away'

interface SignOptions {
  /** Replaces the header's `alg`, `kid` and `typ`; null omits one. */
  readonly header?: Readonly<Record<string, unknown>>
  /** Default: the newest key. */
  readonly key?: IssuerKeyPair
  /** The time for `iat` and `exp`, if the claims do not have them. Default: the real time. */
  readonly now?: Date
}

export interface IssuerKeyPair {
  readonly kid: string
  readonly alg: Algorithm
  readonly privateKey: KeyObject
  /** The public key. */
  readonly jwk: Readonly<Record<string, unknown>>
}

export interface TestIssuer {
  /** The value of `iss`: `http://127.0.0.1:PORT` and the path. */
  readonly url: string
  /** The newest key. */
  readonly key: IssuerKeyPair
  readonly jwks: string
  /** The requested paths since the last call of {@link TestIssuer.forgetRequests}. */
  readonly requests: readonly string[]
  forgetRequests(): void
  /**
   * Returns an ID token with these claims. By default, `iss` is the issuer, `iat` now, `exp` five minutes later, and
   * `jti` random. A claim that is undefined is left out.
   */
  sign(claims: Claims, options?: SignOptions): string
  /** Replaces all keys with a new one. With `kid`, it can have the id of an old key, as in Jenkins. */
  rotate(options?: { readonly kid?: string }): Promise<IssuerKeyPair>
  /** Adds a key and keeps the others. */
  addKey(options?: { readonly kid?: string }): Promise<IssuerKeyPair>
  /** Adds keys to the key set, or adds or replaces members of the discovery document. */
  publish(more: { readonly keys?: readonly Claims[]; readonly document?: Claims }): void
  behave(how: Behaviour): void
  /** Holds requests until `release` is called. `asked` resolves at the first request. */
  hold(): { readonly asked: Promise<void>; release(): void }
  /** Answers requests in place of the issuer if `answer` returns true for them. */
  answerWith(answer: (request: IncomingMessage, response: ServerResponse) => boolean): void
}

export interface TestIssuerOptions {
  readonly alg?: Algorithm
  /** The path of the issuer's URL, such as `/api/actions`. */
  readonly path?: string
}

/** Returns an issuer that runs during the suite's tests. */
export function testIssuer({ alg = 'ES256', path = '' }: TestIssuerOptions = {}): TestIssuer {
  let keys: IssuerKeyPair[] = []
  let more: { keys: readonly Claims[]; document: Claims } = { keys: [], document: {} }
  let requests: string[] = []
  let behaviour: Behaviour = 'well'
  let instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  const key = () => keys.at(-1) ?? assert.fail('the issuer has keys only while the tests of its suite run')
  const jwks = () => JSON.stringify({ keys: [...keys.map(({ jwk }) => jwk), ...more.keys] })
  const document = () => ({
    issuer: url(),
    jwks_uri: `${url()}/keys`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [alg],
    ...more.document,
  })

  let onAsked = () => {}
  let gate: Promise<void> | undefined

  const server = createServer(async (request, response) => {
    requests.push(request.url ?? '')
    onAsked()
    await gate
    if (instead(request, response) || behaviour === 'silent') return
    if (behaviour === 'away') {
      request.socket.destroy()
      return
    }
    const found =
      request.url === `${path}/.well-known/openid-configuration`
        ? JSON.stringify(document())
        : request.url === `${path}/keys`
          ? jwks()
          : undefined
    const status = behaviour === 'failing' ? 500 : found === undefined ? 404 : 200
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? found : '{}')
  })
  const loopback = onLoopback(server)
  const url = () => `${loopback.url}${path}`
  const addKey = async ({ kid = randomUUID() }: { readonly kid?: string } = {}) => {
    const made = await newKeyPair(alg, kid)
    keys.push(made)
    return made
  }

  before(async () => {
    await addKey()
  })
  return {
    get url() {
      return url()
    },
    get key() {
      return key()
    },
    get jwks() {
      return jwks()
    },
    get requests() {
      return requests
    },
    forgetRequests: () => {
      requests = []
    },
    sign: (claims, { header, now = new Date(), key: by = key() } = {}) => {
      const iat = Math.floor(now.getTime() / 1000)
      const whole = { iss: url(), jti: randomUUID(), iat, exp: iat + 300, ...claims }
      return signToken({ alg: by.alg, kid: by.kid, typ: 'JWT', ...header }, whole, by)
    },
    addKey,
    rotate: async (options) => {
      const made = await addKey(options)
      keys = [made]
      return made
    },
    publish: (added) => {
      more = { keys: added.keys ?? more.keys, document: added.document ?? more.document }
    },
    behave: (how) => {
      behaviour = how
      instead = () => false
    },
    hold: () => {
      const held = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      gate = held.promise
      onAsked = asked.resolve
      return { asked: asked.promise, release: held.resolve }
    },
    answerWith: (answer) => {
      instead = answer
    },
  }
}

/**
 * Returns a token in compact form with exactly this header and these claims. Undefined members, and null ones of the
 * header, are omitted.
 */
export function signToken(header: Claims, claims: Claims, { alg, privateKey }: IssuerKeyPair): string {
  const without = (value: unknown) => (_: string, one: unknown) => (one === value ? undefined : one)
  const input = [JSON.stringify(header, without(null)), JSON.stringify(claims)]
    .map((text) => Buffer.from(text).toString('base64url'))
    .join('.')
  // JWS joins the two numbers of an ECDSA signature (RFC 7518, 3.4).
  const by = alg === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' as const } : privateKey
  return `${input}.${sign('sha256', Buffer.from(input), by).toString('base64url')}`
}

const generate = promisify(generateKeyPair)

export async function newKeyPair(alg: Algorithm, kid: string): Promise<IssuerKeyPair> {
  const { publicKey, privateKey } =
    alg === 'ES256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, jwk }
}
