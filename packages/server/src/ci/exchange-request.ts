/**
 * The parameters of an exchange (contract/oidc.md, "The exchange"; RFC 8693, 2.1). An empty parameter counts as absent,
 * and unknown ones are ignored (RFC 6749, 3.2).
 */
import { MAX_DESCRIPTION_LENGTH, MAX_LIST_ITEMS, TOKEN_EXCHANGE, TOKEN_TYPES } from '@ratafia/api'
import { ATTENUATION_LIMITS } from '@ratafia/macaroon/conditions'
import { quote } from '../errors.ts'
import { checkDescription } from '../tokens/requested-token.ts'
import { ExchangeRefusal } from './refusal.ts'

/** The values of each parameter, by its name, one for each time it was sent. A form has strings, JSON any value. */
export type SentParameters = ReadonlyMap<string, readonly unknown[]>

export type IssuedType = typeof TOKEN_TYPES.accessToken | typeof TOKEN_TYPES.pair

export interface ExchangeRequest {
  /** The ID token, unread. */
  readonly subjectToken: string
  readonly issuedType: IssuedType
  /** Everything that the rule grants if undefined. The same applies to the lists below. */
  readonly permissions: readonly string[] | undefined
  /** Names or snap ids. */
  readonly packages: readonly string[] | undefined
  readonly channels: readonly string[] | undefined
  /** The requested lifetime in milliseconds. */
  readonly lifetime: number | undefined
  readonly rule: string | undefined
  readonly description: string | undefined
}

/** Throws {@link ExchangeRefusal} `malformed`, some with their own code, and `invalid-field` for a description. */
export function readExchangeRequest(
  sent: SentParameters,
  { baseUrl }: { readonly baseUrl: string },
): ExchangeRequest {
  const parameters = parametersIn(sent)
  refuseOtherGrants(parameters)
  // A file or a command often ends it with a line break, which no ID token has.
  const subjectToken = parameters.needed('subject_token').trim()
  refuseOtherTypes(parameters)
  refuseActors(parameters)
  refuseOtherTargets(parameters, baseUrl)
  return {
    subjectToken,
    issuedType: issuedType(parameters.one('requested_token_type')),
    permissions: scopeOf(parameters.one('scope')),
    packages: parameters.list('packages'),
    channels: parameters.list('channels'),
    lifetime: lifetimeOf(parameters.one('lifetime')),
    rule: parameters.one('rule'),
    description: descriptionOf(parameters.one('description')),
  }
}

interface Parameters {
  /** Returns the parameter's value; undefined if it is absent or empty. */
  one(name: string): string | undefined
  needed(name: string): string
  list(name: string): readonly string[] | undefined
}

const malformed = (message: string) => new ExchangeRefusal('malformed', message)

function parametersIn(sent: SentParameters): Parameters {
  const texts = (name: string) => {
    const values = sent.get(name)
    // Only JSON can have an empty list. It would request nothing, and a token for nothing is useless.
    if (values?.length === 0) throw malformed(`The parameter "${name}" is an empty list. Leave it out.`)
    return (values ?? []).map((value) => textOf(name, value)).filter((text) => text !== '')
  }
  const one = (name: string) => {
    const [first, ...others] = texts(name)
    if (others.length > 0) throw malformed(`The parameter "${name}" occurs more than once. Send it once.`)
    return first
  }
  return {
    one,
    needed: (name) => {
      const text = one(name)
      if (text === undefined) throw malformed(`The parameter "${name}" is missing.`)
      return text
    },
    list: (name) => {
      const items = [...new Set(texts(name))]
      if (items.length === 0) return undefined
      if (items.length > MAX_LIST_ITEMS)
        throw malformed(`The parameter "${name}" occurs more than ${MAX_LIST_ITEMS} times.`)
      const bad = items.find((item) => item.length > ATTENUATION_LIMITS.characters || !/^[ -~]+$/.test(item))
      if (bad === undefined) return items
      const { characters } = ATTENUATION_LIMITS
      throw malformed(
        `"${name}" has an item that is not 1 to ${characters} printable ASCII characters: ${quote(bad)}.`,
      )
    },
  }
}

/** Only JSON can send a number, and only the lifetime can be one. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (name === 'lifetime' && typeof value === 'number') return String(value)
  throw malformed(`The parameter "${name}" is not a string.`)
}

function refuseOtherGrants(parameters: Parameters): void {
  const grant = parameters.needed('grant_type')
  if (grant === TOKEN_EXCHANGE) return
  const message = `This endpoint accepts only the grant_type ${TOKEN_EXCHANGE}.`
  throw new ExchangeRefusal('malformed', message, { code: 'unsupported-grant-type' })
}

function refuseOtherTypes(parameters: Parameters): void {
  const type = parameters.needed('subject_token_type')
  if (type === TOKEN_TYPES.idToken || type === TOKEN_TYPES.jwt) return
  throw malformed(`subject_token_type must be ${TOKEN_TYPES.idToken} or ${TOKEN_TYPES.jwt}.`)
}

/** Throws if the request names an actor: no other party can act for a job. */
function refuseActors(parameters: Parameters): void {
  for (const name of ['actor_token', 'actor_token_type']) {
    if (parameters.one(name) !== undefined)
      throw malformed(`This endpoint does not accept the parameter "${name}". Leave it out.`)
  }
}

/** Both parameters can occur several times. */
function refuseOtherTargets(parameters: Parameters, baseUrl: string): void {
  for (const name of ['audience', 'resource']) {
    if (parameters.list(name)?.every((target) => target === baseUrl) ?? true) continue
    const message = `"${name}" is not this service, whose base URL is ${baseUrl}. Correct it or leave it out.`
    throw new ExchangeRefusal('malformed', message, { code: 'invalid-target' })
  }
}

function issuedType(asked: string | undefined): IssuedType {
  if (asked === undefined || asked === TOKEN_TYPES.accessToken) return TOKEN_TYPES.accessToken
  if (asked === TOKEN_TYPES.pair) return asked
  throw malformed(`requested_token_type must be ${TOKEN_TYPES.accessToken} or ${TOKEN_TYPES.pair}.`)
}

function scopeOf(text: string | undefined): readonly string[] | undefined {
  const permissions = [...new Set(text?.split(' ').filter((one) => one !== ''))]
  return permissions.length > 0 ? permissions : undefined
}

function lifetimeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text) * 1000
  throw malformed('lifetime is not a whole number of seconds above 0.')
}

function descriptionOf(text: string | undefined): string | undefined {
  if (text !== undefined && text.length > MAX_DESCRIPTION_LENGTH)
    throw malformed(`description is longer than ${MAX_DESCRIPTION_LENGTH} characters.`)
  return checkDescription(text, 'description')
}

const IDEMPOTENCY_KEY = /^[!-~]{16,64}$/

/** Returns the value of the header `Idempotency-Key` (A15). Throws {@link ExchangeRefusal} `malformed`. */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key
  throw malformed(
    'The header Idempotency-Key is not 16 to 64 printable ASCII characters, without spaces between them.',
  )
}
