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

/** The 401 of the tokens API. */
export function unauthorized(message: string, details: RefusalDetails = {}): RequestError {
  return new RequestError('macaroon-authorization-required', message, details)
}
