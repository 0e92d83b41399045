/** Why a condition is not met. */
export type ConditionErrorCode =
  | 'malformed-condition' // its text does not have the form its name asks for.
  | 'unknown-condition' // this service does not know what it means, so it cannot count as met.
  | 'expired' // the time of a `time-before` has come; `expiredAt` says which.
  | 'not-yet-valid' // the time of a `time-since` has not come; `validFrom` says which.
  | 'declared-conflict' // a `declared` disagrees with another one, so neither counts.
  | 'refused' // the condition can never be met, or a checker said no.
  | 'limit-exceeded' // well formed, but too large to be worth checking.

export interface ConditionErrorDetails extends ErrorOptions {
  readonly expiredAt?: Date
  readonly validFrom?: Date
}

/** A condition is not met. The message names the condition and never quotes more than a short part of it. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError'
  readonly code: ConditionErrorCode
  /** With `expired`: since when. */
  readonly expiredAt: Date | undefined
  /** With `not-yet-valid`: from when on. */
  readonly validFrom: Date | undefined

  constructor(code: ConditionErrorCode, message: string, details: ConditionErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.expiredAt = details.expiredAt
    this.validFrom = details.validFrom
  }
}

/** Foreign text for an error message: quoted, and cut if long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
