/** A realm of Keycloak with clients whose service accounts play CI jobs, managed with Keycloak's admin API. */

export interface Job {
  /** The claims that Keycloak adds to every token of this client. */
  readonly claims: Readonly<Record<string, string>>
  /** The audience of the tokens. Keycloak also adds the client's own name to ID tokens. */
  readonly audience: string
}

export type TokenKind = 'access_token' | 'id_token'

interface Admin {
  readonly username: string
  readonly password: string
}

const SECRET = 'a secret of the client, not of the job'

export class KeycloakRealm {
  /** The `iss` of its tokens. */
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

  /** Returns a new token of a job, which is a JWT. */
  async token(client: string, kind: TokenKind = 'id_token'): Promise<string> {
    const asked = { grant_type: 'client_credentials', client_id: client, client_secret: SECRET }
    const tokens = await grant(this.issuer, { ...asked, scope: 'openid' })
    const token = tokens[kind]
    if (typeof token !== 'string') throw new Error(`Keycloak gave no ${kind}.`)
    return token
  }

  /** Adds a key, which signs from now on. The previous keys stay in the set. */
  async rotate(): Promise<void> {
    const [{ id }, keys] = await Promise.all([this.#ask<{ id: string }>('GET', this.#api), this.#keys()])
    // The key with the highest priority signs. The first keys have the priority 100.
    const config = { priority: [String(100 + keys.length)], algorithm: ['RS256'], keySize: ['2048'] }
    const key = { name: `rotated ${keys.length}`, providerId: RSA, providerType: KEY_PROVIDER }
    await this.#ask('POST', `${this.#api}/components`, { ...key, parentId: id, config })
  }

  /** Removes the realm's original key from its set. */
  async removeFirstKey(): Promise<void> {
    const first = (await this.#keys()).find(({ name }) => name === RSA)
    if (!first) throw new Error('The first key is already removed.')
    await this.#ask('DELETE', `${this.#api}/components/${first.id}`)
  }

  /** Returns the components with keys, including keys that sign nothing. */
  #keys(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return this.#ask('GET', `${this.#api}/components?type=${KEY_PROVIDER}`)
  }

  async #ask<T>(method: string, url: string, body?: unknown): Promise<T> {
    // The admin's tokens expire after a minute, so each request gets a new one.
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

/** Returns the JSON of an answer. Throws an `Error` unless it is a 2xx. */
async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
  return JSON.parse(text === '' ? 'null' : text) as T
}
