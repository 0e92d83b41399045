/** An issuer of ID tokens, like a CI system: a discovery document and keys, behind a network that can fail. */
import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TcpProxy } from './proxy.ts'

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly jwk: JsonWebKey
}

export class Issuer {
  /** The network between the nodes and the issuer. */
  readonly proxy: TcpProxy
  readonly #server: Server
  /** The published keys, the newest last. */
  #keys: readonly SigningKey[] = [newKey()]
  /** The ids of published keys that the service has cached, so that it does not need the issuer. */
  readonly #known = new Set<string>()

  private constructor(server: Server, proxy: TcpProxy) {
    this.#server = server
    this.proxy = proxy
    server.on('request', ({ url }, response) => {
      const document = this.#documents()[url ?? '']
      response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(document ?? {}))
    })
  }

  static async start(): Promise<Issuer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Issuer(server, await TcpProxy.start((server.address() as AddressInfo).port))
  }

  /** The value of the claim `iss`. */
  get url(): string {
    return `http://127.0.0.1:${this.proxy.port}`
  }

  /** The published keys, the newest last. */
  get keys(): readonly SigningKey[] {
    return this.#keys
  }

  /** Returns whether the service has the key, because it accepted a token signed with it. */
  isKnown(id: string): boolean {
    return this.#known.has(id)
  }

  learned(id: string): void {
    this.#known.add(id)
  }

  /** Adds a key, and returns it. */
  rotate(): SigningKey {
    const key = newKey()
    this.#keys = [...this.#keys, key]
    return key
  }

  /** Withdraws the oldest key. Returns its id. */
  takeBack(): string | undefined {
    const [oldest, ...rest] = this.#keys
    this.#keys = rest
    return oldest?.id
  }

  /** Returns an ID token with the claims. */
  sign(claims: Readonly<Record<string, unknown>>, { id: kid, privateKey: key }: SigningKey): string {
    const signed = [
      { alg: 'ES256', typ: 'JWT', kid },
      { iss: this.url, jti: randomUUID(), ...claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  async close(): Promise<void> {
    await this.proxy.close()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #documents(): Readonly<Record<string, unknown>> {
    const { url } = this
    return {
      '/.well-known/openid-configuration': {
        issuer: url,
        jwks_uri: `${url}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
      },
      '/keys': { keys: this.#keys.map(({ jwk }) => jwk) },
    }
  }
}

function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomUUID()
  return {
    id,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' },
  }
}
