/** The client side of the exchange of an ID token for a credential (contract/oidc.md, "The exchange"). */
import { isObject, type JsonObject, objectIn } from '../../../foreign-json.ts'
import { ServiceRefusal } from '../../context.ts'
import { type Answer, ask, placeOf, refusalIn, strangeAnswer } from '../../login/ask.ts'
import { throwIfBusy } from './retry.ts'

export type Format = 'macaroon' | 'u1'

/** The requested limits. With only the format, the credential gets everything that the rule grants. */
export interface Wanted {
  readonly format: Format
  readonly rule?: string
  readonly permissions: readonly string[]
  readonly packages: readonly string[]
  readonly channels: readonly string[]
  /** The requested lifetime in seconds. */
  readonly lifetime?: number
}

export interface Minted {
  /** The value of SNAPCRAFT_STORE_CREDENTIALS. */
  readonly credentials: string
  /** The secrets to keep out of logs: the credentials, and the tokens in them. */
  readonly secrets: readonly string[]
  readonly sessionId: string
  /** The granted lifetime in seconds. */
  readonly lifetime: number
  readonly rule: string | undefined
}

interface Request {
  /** The service's address, without a trailing slash. */
  readonly url: string
  readonly idToken: string
  readonly wanted: Wanted
  /** The same for every try, so that the service returns a token that was lost in transit again (A15). */
  readonly idempotencyKey: string
  readonly patience: number
}

const pathOf = (url: string): string => `${url}/api/v2/tokens/oidc`

/** Returns the audience that the service requires in ID tokens. Throws `ServiceRefusal`, `ServiceAway`. */
export async function audienceOf(url: string, patience: number): Promise<string> {
  const answer = await ask(pathOf(url), { patience })
  throwIfBusy(answer)
  const audience = answer.body?.['audience']
  if (answer.status === 200 && typeof audience === 'string') return audience
  const isOther = answer.status === 200 || answer.status === 404
  throw isOther ? strangeAnswer(answer.url, 'no audience for ID tokens') : refusalIn(answer)
}

/** Exchanges the ID token. Throws `ServiceRefusal`, `ServiceAway`. */
export async function exchange(request: Request): Promise<Minted> {
  const { url, idToken, wanted, idempotencyKey, patience } = request
  const body = parametersOf(idToken, wanted)
  const headers = { 'idempotency-key': idempotencyKey }
  const answer = without(idToken, await ask(pathOf(url), { method: 'POST', headers, body, patience }))
  throwIfBusy(answer)
  if (answer.status === 200 && answer.body) return mintedIn(answer.body, answer.url)
  throw refusalOf(answer)
}

/** Removes the ID token from the answer in case the service repeats it, because messages quote the answer. */
function without(idToken: string, answer: Answer): Answer {
  const text = answer.text.replaceAll(idToken, '…')
  return { ...answer, text, body: objectIn(text) }
}

function parametersOf(idToken: string, wanted: Wanted): URLSearchParams {
  const { format, rule, permissions, packages, channels, lifetime } = wanted
  const parameters = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  })
  if (format === 'u1') parameters.set('requested_token_type', 'urn:ratafia:token-type:macaroon-pair')
  if (rule !== undefined) parameters.set('rule', rule)
  if (permissions.length > 0) parameters.set('scope', permissions.join(' '))
  for (const name of packages) parameters.append('packages', name)
  for (const pattern of channels) parameters.append('channels', pattern)
  if (lifetime !== undefined) parameters.set('lifetime', String(lifetime))
  return parameters
}

function mintedIn(body: JsonObject, url: string): Minted {
  const { credentials, access_token: token, session_id: sessionId, expires_in: lifetime, rule } = body
  // A credential is one line, with nothing that a shell would interpret.
  if (typeof credentials !== 'string' || !/^[\w+/-]{16,}={0,2}$/.test(credentials))
    throw strangeAnswer(url, 'no credential')
  if (typeof sessionId !== 'string' || !/^[0-9a-f-]{1,64}$/.test(sessionId))
    throw strangeAnswer(url, 'no session')
  // The access token of a pair is `root=…, discharge=…`.
  const parts = typeof token === 'string' ? [token, ...(token.match(/[\w-]{16,}/g) ?? [])] : []
  const secrets = [credentials, ...parts, ...textsIn(credentials)]
  return {
    credentials,
    secrets,
    sessionId,
    lifetime: typeof lifetime === 'number' ? lifetime : 0,
    rule: typeof rule === 'string' ? rule.slice(0, 64) : undefined,
  }
}

/** Returns the values that a tool reads from the credential and might print. */
function textsIn(credentials: string): readonly string[] {
  const value = objectIn(Buffer.from(credentials, 'base64').toString('utf8'))?.['v']
  const texts: readonly unknown[] = isObject(value) ? Object.values(value) : [value]
  return texts.filter((text) => typeof text === 'string')
}

/** Returns the service's refusal in its own words, with the audit entry. */
function refusalOf(answer: Answer): Error {
  const error = refusalIn(answer)
  if (!(error instanceof ServiceRefusal)) return error
  const { error_description: description, error_list: list } = answer.body ?? {}
  const said =
    typeof description === 'string' ? `${placeOf(answer.url)}: ${description.slice(0, 1000)}` : error.message
  const entry = auditEntryIn(list)
  const hint =
    entry === undefined || said.includes(entry)
      ? ''
      : ` The operator can find details in audit entry ${entry}.`
  return new ServiceRefusal(`${said}${hint}`, { code: error.code })
}

function auditEntryIn(list: unknown): string | undefined {
  const [first]: readonly unknown[] = Array.isArray(list) ? list : []
  const extra = isObject(first) ? first['extra'] : undefined
  const entry = isObject(extra) ? extra['audit'] : undefined
  return typeof entry === 'string' ? entry.slice(0, 64) : undefined
}
