/** A realm of Keycloak with clients whose service accounts play jobs, made and changed over its admin API. */

export interface Job {
  /** Claims that Keycloak puts into every token of this client. */
  readonly claims: Readonly<Record<string, string>>
  /** Of the tokens, beside the client's own name, which Keycloak adds to ID tokens. */
  readonly audience: string
}

export type TokenKind = 'access_token' | 'id_token'

interface Admin {
  readonly username: string
  readonly password: string
}

const SECRET = 'a secret of the client, not of the job'

export class KeycloakRealm {
  /** `iss` of its tokens. */
  readonly issuer: string
  readonly #api: string
  readonly #master: string
  readonly #admin: Admin

  private constructor(url: string, admin: Admin, name: string) {
    this.issuer = `${url}/realms/${name}`
    this.#api = `${url}/admin/realms/${name}`
    this.#master = `${url}/realms/master`
    this.#admin = admin
  }

  static async make(url: string, admin: Admin, name: string): Promise<KeycloakRealm> {
    const realm = new KeycloakRealm(url, admin, name)
    await realm.#ask('POST', `${url}/admin/realms`, { realm: name, enabled: true })
    return realm
  }

  async addJob(client: string, { claims, audience }: Job): Promise<void> {
    await this.#ask('POST', `${this.#api}/clients`, {
      ...{ clientId: client, secret: SECRET, protocol: 'openid-connect', publicClient: false },
      ...{ serviceAccountsEnabled: true, standardFlowEnabled: false, fullScopeAllowed: false },
      defaultClientScopes: ['basic'],
      optionalClientScopes: [],
      protocolMappers: [
        mapper('audience', 'oidc-audience-mapper', { 'included.custom.audience': audience }),
        ...Object.entries(claims).map(([name, value]) =>
          mapper(name, 'oidc-hardcoded-claim-mapper', {
            'claim.name': name,
            'claim.value': value,
            'jsonType.label': 'String',
          }),
        ),
      ],
    })
  }

  /** A new token of a job: a JWT. */
  async token(client: string, kind: TokenKind = 'id_token'): Promise<string> {
    const asked = { grant_type: 'client_credentials', client_id: client, client_secret: SECRET }
    const tokens = await grant(this.issuer, { ...asked, scope: 'openid' })
    const token = tokens[kind]
    if (typeof token !== 'string') throw new Error(`Keycloak gave no ${kind}.`)
    return token
  }

  /** From now on another key signs. The keys from before stay in the set. */
  async rotate(): Promise<void> {
    const [{ id }, keys] = await Promise.all([this.#ask<{ id: string }>('GET', this.#api), this.#keys()])
    // The highest priority signs; that of the first keys is 100.
    const config = { priority: [String(100 + keys.length)], algorithm: ['RS256'], keySize: ['2048'] }
    const key = { name: `rotated ${keys.length}`, providerId: RSA, providerType: KEY_PROVIDER }
    await this.#ask('POST', `${this.#api}/components`, { ...key, parentId: id, config })
  }

  /** Removes the key that the realm was made with from its set. */
  async removeFirstKey(): Promise<void> {
    const first = (await this.#keys()).find(({ name }) => name === RSA)
    if (!first) throw new Error('The first key is gone already.')
    await this.#ask('DELETE', `${this.#api}/components/${first.id}`)
  }

  /** What makes keys, also such that sign nothing. */
  #keys(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return this.#ask('GET', `${this.#api}/components?type=${KEY_PROVIDER}`)
  }

  async #ask<T>(method: string, url: string, body?: unknown): Promise<T> {
    // Its tokens live for a minute.
    const { username, password } = this.#admin
    const login = { grant_type: 'password', client_id: 'admin-cli', username, password }
    const { access_token: token } = await grant(this.#master, login)
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return read(answer)
  }
}

const KEY_PROVIDER = 'org.keycloak.keys.KeyProvider'
const RSA = 'rsa-generated'

function mapper(name: string, protocolMapper: string, config: Readonly<Record<string, string>>) {
  const everywhere = { 'id.token.claim': 'true', 'access.token.claim': 'true' }
  return { name, protocol: 'openid-connect', protocolMapper, config: { ...config, ...everywhere } }
}

async function grant(
  issuer: string,
  form: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${issuer}/protocol/openid-connect/token`
  return read(await fetch(url, { method: 'POST', body: new URLSearchParams(form) }))
}

/** Throws an `Error` for anything but a 2xx. */
async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
  return JSON.parse(text === '' ? 'null' : text) as T
}
