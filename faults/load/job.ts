/** What a job of a CI system sends: its ID token, once, and then the token that it got for it. */
import type { Issuer, SigningKey } from '../world/issuer.ts'
import type { Credential } from './log-in.ts'
import { presenting } from './password-login.ts'
import { BASE_URL, type Person } from './scene.ts'
import { hashOf, type Request } from './wire.ts'

/** Which jobs get a token. */
export interface Rule {
  readonly name: string
  /** Whose account it is for. */
  readonly person: Person
  /** Claims that must be equal. */
  readonly match: Readonly<Record<string, string>>
}

/** No two rules of a run may have one `number`: then a job matches one rule at most. */
export const newRule = (person: Person, number: number): Rule => ({
  name: `${person.username}-${number}`,
  person,
  match: { repository_id: `${1_000 + number}`, repository_owner_id: '65', ref: 'refs/heads/main' },
})

/** One for each person, which a new world has. */
export const firstRules = (people: readonly Person[]): readonly Rule[] =>
  people.map((person, at) => newRule(person, at))

/** What every rule gives. It outlasts a run also on a node whose clock is ahead. */
export const GIVES = { package: 'hello', permission: 'package_upload', lifetimeSeconds: 3_600 } as const

export interface IdToken {
  readonly rule: Rule
  readonly keyId: string
  readonly text: string
  /** With which it is sent, if with one. */
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
    // Good also for a node whose clock is ten minutes off.
    ...{ iat: now - 15 * MINUTE_S, exp: now + 45 * MINUTE_S },
  }
  return { ...{ rule, keyId: key.id, idempotencyKey }, text: issuer.sign(claims, key) }
}

let requests = 0

interface Sending {
  /** A pair of root and discharge in place of a token, as snapcraft takes by default. */
  readonly pair?: boolean
  /** Not sent before, and signed with a key that the service has. */
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

/** A token or a pair that a rule gave. */
export interface JobToken extends Credential {
  readonly rule: string
}

/** From the answer to an exchange in this era of the person's logins. */
export function jobTokenIn(body: string, { person, name: rule }: Rule, era: number): JobToken {
  const { credentials, session_id: session } = JSON.parse(body)
  // As clients read SNAPCRAFT_STORE_CREDENTIALS.
  const { t, v } = JSON.parse(Buffer.from(credentials, 'base64').toString())
  const headers =
    t === 'u1-macaroon' ? presenting({ root: v.r, discharge: v.d }) : { authorization: `Macaroon ${v}` }
  // Once logins were ended, a root that was made later by a node whose clock is behind looks earlier.
  return { ...{ person, era, session, rule, headers }, lasts: era === 0 }
}
