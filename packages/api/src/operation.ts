/** The declaration of an operation of the API. */
import type { TSchema } from 'typebox'
import type { ErrorCode } from './error-codes.ts'

export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The version of the specified API that introduced it; absent if it is not in the specification. */
  readonly since?: number
  readonly summary: string
  /** Details beyond the summary, in Markdown. */
  readonly description?: string
  /**
   * The credential to present: none, a root macaroon with its discharge, a token (or a root with its
   * discharge instead), a device session, the previous device session for a refresh, an API key if the model
   * has one, or a macaroon in the body.
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
   * The status over the limit, if its calls from one network are limited, or those whose credential is
   * refused: 429, or 503, after which snapd retries.
   */
  readonly limited?: 429 | 503
  readonly query?: TSchema
  /** The headers of requests besides the credential's: an object with a property for each. */
  readonly headers?: TSchema
  readonly body?: TSchema
  /** Whether the body is required. */
  readonly bodyRequired?: boolean
  readonly response: TSchema
  /** The equivalent media types of the body, and that of the response; `application/json` if absent. */
  readonly bodyType?: string | readonly string[]
  readonly responseType?: string
  /** The answer as `text/plain`, if `Accept` prefers it. */
  readonly textResponse?: TSchema
  /** The body of its refusals; `ErrorBodySchema` if absent. */
  readonly errorBody?: TSchema
  /** When it answers 202, which has an empty body. */
  readonly accepted?: string
}

/** The codes for refusing a token, or a root with its discharge. */
export const TOKEN_REFUSALS = [
  'macaroon-authorization-required',
  'macaroon-needs-refresh',
  'macaroon-caveat-unknown',
  'account-unknown',
] as const
