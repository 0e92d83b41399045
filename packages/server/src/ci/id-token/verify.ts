/**
 * Verifies an ID token: its issuer, audience and times. What its job may do is decided separately (`rules/match.ts`).
 * `jose` only checks the signature; the rest is here, because `jose` accepts lists of audiences, an `iat` in the
 * future, any `typ` and an absent `kid` (contract/oidc.md, A3, A4, A14, A16, A17).
 */
import { hash } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import { quote } from '../../errors.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { keptClaims } from '../issuers/job.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { audienceProblem, timeProblem } from './check-claims.ts'
import type { Claims, UnverifiedHeader, UnverifiedIdToken, VerifiedIdToken } from './id-token.ts'
import { type IssuerKey, type IssuerKeys, leftOutText } from './issuer-keys.ts'

export interface VerifyBy {
  readonly issuer: Issuer
  readonly keys: IssuerKeys
  /** The base URL, without a trailing slash (A3). */
  readonly audience: string
  readonly now: Date
}

/**
 * Throws {@link ExchangeRefusal}, in this order: `algorithm`, `type`, `key-unknown`, `signature`, `issuer-unknown`,
 * `audience`, the reasons for times, `claim-invalid`. `key-unknown` and `signature` can mean that the keys are outdated
 * (A18).
 */
export async function verifyIdToken(
  token: UnverifiedIdToken,
  { issuer, keys, audience, now }: VerifyBy,
): Promise<VerifiedIdToken> {
  const { unverifiedHeader: header, unverifiedClaims, unverifiedIssuer, text } = token
  checkHeader(header, keys)
  await checkSignature(text, header.alg, keysFor(header, keys))
  // Several issuers can share one key set.
  if (unverifiedIssuer !== issuer.url) {
    throw new ExchangeRefusal(
      'issuer-unknown',
      `The issuer of the ID token is ${quote(unverifiedIssuer)}, not ${issuer.url}.`,
    )
  }
  const problem =
    audienceProblem(unverifiedClaims['aud'], issuer, audience) ?? timeProblem(unverifiedClaims, issuer, now)
  if (problem) throw new ExchangeRefusal(problem.reason, problem.message)
  return asVerified(text, unverifiedClaims, issuer)
}

function checkHeader({ alg, typ }: UnverifiedHeader, { algorithms }: IssuerKeys): void {
  if (!algorithms.includes(alg)) {
    throw new ExchangeRefusal(
      'algorithm',
      `The ID token is signed with ${quote(alg)}, which this service does not accept.`,
    )
  }
  if (typ !== undefined && typ !== 'JWT') {
    throw new ExchangeRefusal(
      'type',
      `The token has the type ${quote(typ)}. Send an ID token, of type "JWT".`,
    )
  }
}

/** The maximum number of signature checks for one token if several keys of the set have the same id. */
const MOST_KEYS_TRIED = 4

function keysFor({ alg, kid }: UnverifiedHeader, { keys, leftOut }: IssuerKeys): readonly IssuerKey[] {
  const named = kid === undefined ? (keys.length === 1 ? keys : []) : keys.filter((key) => key.kid === kid)
  const fitting = named.filter(({ algorithms }) => algorithms.includes(alg))
  if (fitting.length > 0) return fitting.slice(0, MOST_KEYS_TRIED)
  const fault =
    kid === undefined
      ? 'The ID token names no key ("kid"), so its issuer must have exactly one key, which fits.'
      : `The ID token names the key ${quote(kid)}, but its issuer has no such key for ${quote(alg)}.`
  throw new ExchangeRefusal('key-unknown', [fault, leftOutText(leftOut) ?? []].flat().join(' '))
}

async function checkSignature(text: string, algorithm: string, keys: readonly IssuerKey[]): Promise<void> {
  for (const { key } of keys) {
    if (await isSignedBy(key, text, algorithm)) return
  }
  throw new ExchangeRefusal('signature', 'The ID token was not signed with the key that it names.')
}

async function isSignedBy(key: IssuerKey['key'], text: string, algorithm: string): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

function asVerified(text: string, claims: Claims, issuer: Issuer): VerifiedIdToken {
  const { exp, jti } = claims
  const verified = {
    issuerId: issuer.id,
    claims,
    expiresAt: new Date(Number(exp) * 1000),
    key: typeof jti === 'string' ? jti : hashOfSigned(text),
    kept: keptClaims(issuer, claims),
  }
  // The only cast to this type: everything above has passed.
  return verified as unknown as VerifiedIdToken
}

/** Leaves out the signature, because anyone can derive a second valid ECDSA signature from the first (A14). */
const hashOfSigned = (text: string): string =>
  `sha256:${hash('sha256', text.slice(0, text.lastIndexOf('.')))}`
