/**
 * An issuer of ID tokens in this process, on a loopback address: its discovery document, its keys, and signed claims.
 * It signs with Node alone, so that signer and verifier are not one library.
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
 * `well`: it answers. `failing`: 500. `silent`: it takes requests and never answers. `away`: it breaks connections.
 */
type Behaviour = 'well' | 'failing' | 'silent' | 'away'

interface SignOptions {
  /** In place of the header's own `alg`, `kid` and `typ`; null drops one. */
  readonly header?: Readonly<Record<string, unknown>>
  /** Default: the newest. */
  readonly key?: IssuerKeyPair
  /** For `iat` and `exp`, where the claims do not say. Default: the real time. */
  readonly now?: Date
}

export interface IssuerKeyPair {
  readonly kid: string
  readonly alg: Algorithm
  readonly privateKey: KeyObject
  /** Public. */
  readonly jwk: Readonly<Record<string, unknown>>
}

export interface TestIssuer {
  /** What `iss` says: `http://127.0.0.1:PORT`, and the path. */
  readonly url: string
  /** The newest. */
  readonly key: IssuerKeyPair
  readonly jwks: string
  /** The paths that were asked for, since this was last emptied by {@link TestIssuer.forgetRequests}. */
  readonly requests: readonly string[]
  forgetRequests(): void
  /**
   * An ID token with these claims. Where they do not say, `iss` is the issuer, `iat` now, `exp` five minutes later, and
   * `jti` random; a claim that is undefined is left out.
   */
  sign(claims: Claims, options?: SignOptions): string
  /** Makes another key, and drops those from before. With `kid` the new one has the name of an old one, as in Jenkins. */
  rotate(options?: { readonly kid?: string }): Promise<IssuerKeyPair>
  /** Adds a key and keeps the others. */
  addKey(options?: { readonly kid?: string }): Promise<IssuerKeyPair>
  /** Adds this to the key set as it is, or to the discovery document, in place of what it says. */
  publish(more: { readonly keys?: readonly Claims[]; readonly document?: Claims }): void
  behave(how: Behaviour): void
  /** Lets requests wait until they are released; `asked` resolves when there is one. */
  hold(): { readonly asked: Promise<void>; release(): void }
  /** Answers requests in place of the issuer, where this returns true. */
  answerWith(answer: (request: IncomingMessage, response: ServerResponse) => boolean): void
}

export interface TestIssuerOptions {
  readonly alg?: Algorithm
  /** Of its URL, such as `/api/actions`. */
  readonly path?: string
}

/** Gives the suite one: started before its tests, closed after them. */
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

/** A token in the compact form, with exactly this header and these claims; what is null or undefined is left out. */
export function signToken(header: Claims, claims: Claims, { alg, privateKey }: IssuerKeyPair): string {
  const without = (value: unknown) => (_: string, one: unknown) => (one === value ? undefined : one)
  const input = [JSON.stringify(header, without(null)), JSON.stringify(claims)]
    .map((text) => Buffer.from(text).toString('base64url'))
    .join('.')
  // JWS has both numbers of an ECDSA signature one after the other (RFC 7518, 3.4).
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
