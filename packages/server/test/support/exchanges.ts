/** Exchanges ID tokens like a job, and adds the issuers and rules that this needs. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { TOKEN_EXCHANGE, TOKEN_TYPES } from '@ratafia/api'
import { OAuthErrorSchema } from '@ratafia/api/schemas'
import { Check } from 'typebox/value'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import type { WantedIssuer } from '../../src/ci/issuers/check-issuer.ts'
import { type AddedRule, addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from './authorities.ts'
import { oidcVectors, type SignOptions, signClaimSet, testKeySet, type VectorRule } from './id-tokens.ts'
import { onLoopback } from './loopback.ts'
import { assertDocumented } from './openapi.ts'
import { type Answer, addPerson, type TestService } from './service.ts'

export const EXCHANGE = '/api/v2/tokens/oidc'

/**
 * The issuers of the vectors, on loopback, with the key set of the tests. Each rule of the vectors has its own
 * issuer, at a path of one server, so that rules do not affect each other.
 */
export interface VectorIssuers {
  /**
   * Returns the local URL of the issuer with this URL: the issuer of the rule or, if the rule has a different one, an
   * issuer without rules. Returns unknown URLs unchanged.
   */
  at(url: string, rule?: string): string
  /** Replaces the key of all issuers with the second key. */
  replaceKey(): void
  /** Sets whether the issuers answer. */
  answer(how: boolean): void
  /** Returns the paths that were requested since the last call. */
  requests(): readonly string[]
}

/** Prefix of a rule's name in the path of an issuer without rules. */
const NO_RULES = 'no-rules-'

export function vectorIssuers(): VectorIssuers {
  const rules = [...oidcVectors().rules.values()]
  let replaced = false
  let answers = true
  let requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const [, path = '', where = ''] = /^(\/[a-z-]+)\/(.+)$/.exec(request.url ?? '') ?? []
    const issuer = `${loopback.url}${path}`
    const document = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    }
    const body = where === 'keys' ? testKeySet({ replaced }) : JSON.stringify(document)
    response.writeHead(answers ? 200 : 500, { 'content-type': 'application/json' }).end(body)
  })
  const loopback = onLoopback(server)
  return {
    at: (url, rule) => {
      const its = rules.filter(({ issuer }) => url === issuer || url === `${issuer}/`)
      const [first] = its
      if (!first) return url
      const own = rule === undefined || its.some(({ name }) => name === rule)
      return `${loopback.url}/${own ? (rule ?? first.name) : NO_RULES + first.name}${url.slice(first.issuer.length)}`
    },
    replaceKey: () => {
      replaced = true
    },
    answer: (how) => {
      answers = how
    },
    requests: () => {
      const seen = requests
      requests = []
      return seen
    },
  }
}

/** Adds an issuer as the operator's command does, unless it exists. */
export async function withIssuer(
  { installation }: Pick<TestService, 'installation'>,
  issuer: WantedIssuer & { readonly jwks?: string },
): Promise<void> {
  if (await installation.issuers.findByUrl(issuer.url)) return
  await addIssuer({ ...issuer, authority: deciding() }, installation)
}

/** Adds a rule of the vectors and its issuer, for `account` or a new account. */
export async function withRule(
  service: Pick<TestService, 'installation'>,
  rule: VectorRule,
  {
    issuers,
    account,
    name = rule.name,
    issuerOf = rule.name,
    lifetime,
    grants = rule.grants,
  }: {
    readonly issuers: VectorIssuers
    readonly account?: string
    readonly name?: string
    /** The name of the rule whose issuer to use. */
    readonly issuerOf?: string
    readonly lifetime?: number
    readonly grants?: Partial<VectorRule['grants']>
  },
): Promise<AddedRule> {
  const url = issuers.at(rule.issuer, issuerOf)
  await withIssuer(service, {
    url,
    kind: rule.kind,
    ...{ audience: rule.audience, otherAudiences: rule.other_audiences },
    namesCanBeReused: rule.names_can_be_reused === 'accepted',
  })
  const { packages, permissions, channels } = { ...rule.grants, ...grants }
  return addRule(
    {
      maker: { authority: deciding() },
      name,
      issuer: url,
      account: account ?? (await addPerson(service)).username,
      match: rule.match,
      grants: { permissions, channels },
      packages,
      lifetime,
    },
    { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
  )
}

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the fields that every exchange has, with the ID token. */
export const fieldsOf = (subjectToken: string, more: Fields = {}): Fields => ({
  grant_type: TOKEN_EXCHANGE,
  subject_token_type: TOKEN_TYPES.jwt,
  subject_token: subjectToken,
  ...more,
})

export function formOf(fields: Fields): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value ?? []].flat()) form.append(name, one)
  }
  return String(form)
}

export interface ExchangeOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the form. */
  readonly body?: string
}

/** Sends an exchange as a form. Fails if the answer is not as documented. */
export async function exchange(
  service: { readonly baseUrl: string },
  fields: Fields,
  { headers = {}, body = formOf(fields) }: ExchangeOptions = {},
): Promise<Answer & { readonly text: string }> {
  const sent = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
  const response = await fetch(`${service.baseUrl}${EXCHANGE}`, { method: 'POST', headers: sent, body })
  const text = await response.text()
  const { status, headers: answered } = response
  assertDocumented({
    ...{ method: 'POST', path: EXCHANGE, request: { headers: sent, body } },
    ...{ status, headers: answered, text },
  })
  assert.equal(answered.get('cache-control'), 'no-store')
  const isJson = answered.get('content-type') === 'application/json'
  return { status, headers: answered, text, body: isJson ? JSON.parse(text) : undefined }
}

/**
 * Returns an ID token with a claim set of the vectors, for this service and the current time. Each token is different.
 */
export const idTokenOf = (
  claimSet: string,
  { service, issuers, rule }: { service: TestService; issuers: VectorIssuers; rule: string },
  options: SignOptions = {},
): string =>
  signClaimSet(claimSet, {
    at: service.now(),
    audience: service.baseUrl,
    issuerUrl: (url) => issuers.at(url, rule),
    unique: randomUUID(),
    ...options,
  }).text

/**
 * Returns the status, OAuth's error, our code and the message of a refusal. Checks the form that these refusals share.
 */
export function oauthRefusalOf({ status, headers, body }: Answer) {
  assert.ok(Check(OAuthErrorSchema, body), JSON.stringify(body))
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(body['error-list'], body.error_list)
  const [first] = body.error_list
  assert.ok(first)
  return { status, error: body.error, code: first.code, message: first.message, extra: first.extra }
}
