/** Checks the audience and the validity period of an ID token (contract/oidc.md, A3, A14, A16). */
import { quote } from '../../errors.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Reason } from '../refusal.ts'
import { isStorable } from './claims.ts'
import type { Claims } from './id-token.ts'

/** How far clocks may differ, in every check. */
export const LEEWAY_SECONDS = 30

/** A refusal that is not thrown yet, so that explanations can also use it. */
export interface Problem {
  readonly reason: Reason
  readonly message: string
}

/** The required `aud` for this issuer. */
export const audienceFor = ({ settings }: Issuer, baseUrl: string): string => settings.audience ?? baseUrl

/** Every audience must be ours or one the issuer is known to add: any other service could use the token. */
export function audienceProblem(aud: unknown, issuer: Issuer, baseUrl: string): Problem | undefined {
  const ours = audienceFor(issuer, baseUrl)
  if (aud === ours) return undefined
  const { otherAudiences } = issuer.settings
  const isOurs =
    Array.isArray(aud) &&
    aud.includes(ours) &&
    aud.every((one) => one === ours || (typeof one === 'string' && otherAudiences.includes(one)))
  if (isOurs) return undefined
  return {
    reason: 'audience',
    message: `The ID token is for ${audienceText(aud)}. Ask the CI system for one whose audience is ${quote(ours)} alone.`,
  }
}

function audienceText(aud: unknown): string {
  if (typeof aud === 'string') return quote(aud)
  const texts = Array.isArray(aud) ? aud.filter((one) => typeof one === 'string') : []
  return texts.length === 0 ? 'no audience' : texts.slice(0, 3).map(quote).join(', ')
}

/** Also checks `jti`, which has a limit of its own. */
export function timeProblem(claims: Claims, issuer: Issuer, now: Date): Problem | undefined {
  const { exp, iat, nbf, jti } = claims
  if (!isInstant(exp)) return invalid('has no "exp", or one that is not a number of seconds')
  if (!isInstant(iat)) return invalid('has no "iat", or one that is not a number of seconds')
  if (nbf !== undefined && !isInstant(nbf)) return invalid('has an "nbf" that is not a number of seconds')
  if (jti !== undefined && !isTokenId(jti))
    return invalid('has a "jti" that is not a string of 1 to 255 characters')
  const seconds = now.getTime() / 1000
  if (exp + LEEWAY_SECONDS <= seconds) {
    return {
      reason: 'expired',
      message: `The ID token expired at ${at(exp)}. Ask the CI system for a new one.`,
    }
  }
  if (nbf !== undefined && nbf - LEEWAY_SECONDS > seconds) {
    return {
      reason: 'not-yet-valid',
      message: `The ID token is not valid before ${at(nbf)}. Check the clocks.`,
    }
  }
  if (iat - LEEWAY_SECONDS > seconds) {
    return {
      reason: 'issued-in-future',
      message: `The ID token is dated ${at(iat)}, in the future. Check the clocks.`,
    }
  }
  const longest = issuer.settings.longestLife / 1000
  if (exp - iat > longest) {
    return {
      reason: 'life-too-long',
      message: `The ID token is valid for ${exp - iat} seconds. At most ${longest} are allowed here.`,
    }
  }
  return exp > iat ? undefined : invalid('expires before it is issued')
}

const invalid = (what: string): Problem => ({ reason: 'claim-invalid', message: `The ID token ${what}.` })

/** The last second that a `Date` can represent. */
const LAST_SECOND = 8_640_000_000_000

const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= LAST_SECOND

const isTokenId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 255 && isStorable(value)

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
