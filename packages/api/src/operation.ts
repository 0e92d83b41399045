/** What there is to say about one operation of the API. */
import type { TSchema } from 'typebox'
import type { ErrorCode } from './error-codes.ts'

export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The version of the specified API that introduced it. Absent: the specification does not have it. */
  readonly since?: number
  readonly summary: string
  /** More than the summary, in Markdown. */
  readonly description?: string
  /**
   * What to present: nothing, a root macaroon with its discharge, a token (or those two instead), a device session, the
   * previous device session at a refresh, an API key if the model has one, or
   * a macaroon in the body.
   */
  readonly credential:
    | 'none'
    | 'root-and-discharge'
    | 'token'
    | 'device-session'
    | 'previous-session'
    | 'api-key'
    | 'in-body'
  /** The codes of its refusals, besides those that every operation has. */
  readonly errors: readonly ErrorCode[]
  /**
   * Its calls from one network are limited, or those whose credential is refused: over the limit it answers 429, or the
   * 503 after which snapd tries again.
   */
  readonly limited?: 429 | 503
  readonly query?: TSchema
  /** The headers of requests, without those of the credential: an object with a property for each. */
  readonly headers?: TSchema
  readonly body?: TSchema
  /** Whether a request needs the body. */
  readonly bodyRequired?: boolean
  readonly response: TSchema
  /** Media types of body, each as good as the others, and response; `application/json` if absent. */
  readonly bodyType?: string | readonly string[]
  readonly responseType?: string
  /** The answer as `text/plain`, if `Accept` prefers that. */
  readonly textResponse?: TSchema
  /** The body of its refusals; `ErrorBodySchema` if absent. */
  readonly errorBody?: TSchema
  /** When it answers 202, which has an empty body. */
  readonly accepted?: string
}

/** How a credential is refused that is a token, or a root with its discharge. */
export const TOKEN_REFUSALS = [
  'macaroon-authorization-required',
  'macaroon-needs-refresh',
  'macaroon-caveat-unknown',
  'account-unknown',
] as const
