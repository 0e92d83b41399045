/** Requests of a CI job: it sends its ID token once, and then the token that it got in exchange. */
import type { Issuer, SigningKey } from '../world/issuer.ts'
import type { Credential } from './log-in.ts'
import { presenting } from './password-login.ts'
import { BASE_URL, type Person } from './scene.ts'
import { hashOf, type Request } from './wire.ts'

/** A CI rule, which selects the jobs that get a token. */
export interface Rule {
  readonly name: string
  /** The person whose account the token acts for. */
  readonly person: Person
  /** The claims that must be equal. */
  readonly match: Readonly<Record<string, string>>
}

/** Returns a rule. Each rule of a run needs its own `number`, so that a job matches at most one rule. */
export const newRule = (person: Person, number: number): Rule => ({
  name: `${person.username}-${number}`,
  person,
  match: { repository_id: `${1_000 + number}`, repository_owner_id: '65', ref: 'refs/heads/main' },
})

/** Returns the rules that a new world has: one for each person. */
export const firstRules = (people: readonly Person[]): readonly Rule[] =>
  people.map((person, at) => newRule(person, at))

/** The grants of every rule. The lifetime outlasts a run, even on a node whose clock is ahead. */
export const GIVES = { package: 'hello', permission: 'package_upload', lifetimeSeconds: 3_600 } as const

export interface IdToken {
  readonly rule: Rule
  readonly keyId: string
  readonly text: string
  /** The Idempotency-Key that is sent with the ID token; undefined if there is none. */
  readonly idempotencyKey: string | undefined
}

const MINUTE_S = 60

export function newIdToken(
  rule: Rule,
  { issuer, key, idempotencyKey }: { issuer: Issuer; key: SigningKey; idempotencyKey?: string | undefined },
): IdToken {
  const now = Math.floor(Date.now() / 1_000)
  const claims = {
    ...{
      sub: 'repo:octo-org/octo-repo:ref:refs/heads/main',
      aud: BASE_URL,
      event_name: 'push',
      ...rule.match,
    },
    ...{ repository: 'octo-org/octo-repo', run_id: '1959414638', run_attempt: '1', workflow: 'release' },
    // Valid even on a node whose clock is ten minutes off.
    ...{ iat: now - 15 * MINUTE_S, exp: now + 45 * MINUTE_S },
  }
  return { ...{ rule, keyId: key.id, idempotencyKey }, text: issuer.sign(claims, key) }
}

let requests = 0

interface Sending {
  /** Whether to ask for a pair of root and discharge instead of a token, as snapcraft requires by default. */
  readonly pair?: boolean
  /** Whether the ID token was never sent, and is signed with a key that the service has. */
  readonly fresh?: boolean
  readonly final?: boolean
}

export function exchangingIdToken(
  { rule, keyId, text, idempotencyKey }: IdToken,
  { pair = false, fresh = false, final = false }: Sending = {},
): Request {
  const request = idempotencyKey ?? `request ${++requests}`
  return {
    ...{ kind: 'exchange-id-token', method: 'POST', path: '/api/v2/tokens/oidc' },
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: text,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      ...(pair && { requested_token_type: 'urn:ratafia:token-type:macaroon-pair' }),
    }).toString(),
    uses: [`account ${rule.person.username}`, `rule ${rule.name}`, `issuer-key ${keyId}`],
    ...{ mustHold: fresh, final },
    proves: (body) => {
      const { session_id: session } = JSON.parse(body)
      return { session, once: { text: `ID token ${hashOf(text)}`, request, result: session } }
    },
  }
}

/** A token or a pair that a job got by a rule. */
export interface JobToken extends Credential {
  readonly rule: string
}

/** Returns the token in the answer to an exchange, in this era of the person's logins. */
export function jobTokenIn(body: string, { person, name: rule }: Rule, era: number): JobToken {
  const { credentials, session_id: session } = JSON.parse(body)
  // Clients read SNAPCRAFT_STORE_CREDENTIALS like this.
  const { t, v } = JSON.parse(Buffer.from(credentials, 'base64').toString())
  const headers =
    t === 'u1-macaroon' ? presenting({ root: v.r, discharge: v.d }) : { authorization: `Macaroon ${v}` }
  // A root created shortly after all logins were revoked can still count as earlier.
  return { ...{ person, era, session, rule, headers }, lasts: era === 0 }
}
