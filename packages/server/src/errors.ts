/**
 * What an operation throws. It knows no HTTP: `http/errors.ts` alone turns these into answers.
 * "It was refused" and "it could not be checked" are different classes, because the first is expected and
 * the second is alarming.
 */
import type { ErrorCode } from '@ratafia/api'

interface RefusalDetails {
  /** Goes to the client, beside code and message. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Goes to the log and never to the client. */
  readonly private?: string
  readonly cause?: unknown
}

/** The request was understood and refused. The message goes to the client: a sentence that says what to do. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: ErrorCode
  readonly extra: Readonly<Record<string, unknown>>
  readonly private: string | undefined

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.extra = details.extra ?? {}
    this.private = details.private
  }
}

/** Something the answer depends on (a database, the identity service) did not answer. The message is for the log. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/** Somebody asks more often than they may, and nothing was looked at. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  /** Whole seconds, at least 1, until they may ask again. */
  readonly retryAfter: number
  /** To be answered like a service that is busy, because the client takes only that for a reason to try again. */
  readonly asBusy: boolean

  constructor(waitMs: number, { asBusy = false }: { readonly asBusy?: boolean } = {}) {
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
    const when = retryAfter === 1 ? 'in a second' : `in ${retryAfter} seconds`
    super(`There are too many requests from your network. Try again ${when}.`)
    this.retryAfter = retryAfter
    this.asBusy = asBusy
  }
}

/** The 401 of the tokens API. */
export function unauthorized(message: string, details: RefusalDetails = {}): RequestError {
  return new RequestError('macaroon-authorization-required', message, details)
}
