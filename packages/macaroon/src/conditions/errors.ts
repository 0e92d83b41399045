/** The reason why a condition is not met. */
export type ConditionErrorCode =
  | 'malformed-condition' // its text does not have the form that its name requires.
  | 'unknown-condition' // this service does not know its meaning, so it cannot count as met.
  | 'expired' // the time of a `time-before` has passed; `expiredAt` is that time.
  | 'not-yet-valid' // the time of a `time-since` has not come; `validFrom` is that time.
  | 'declared-conflict' // a `declared` contradicts another one, so both are ignored.
  | 'refused' // the condition can never be met, or a checker refused it.
  | 'limit-exceeded' // well formed, but too large to check.

export interface ConditionErrorDetails extends ErrorOptions {
  readonly expiredAt?: Date
  readonly validFrom?: Date
}

/** An unmet condition. The message names the condition and quotes at most a short part of it. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError'
  readonly code: ConditionErrorCode
  /** The time of expiry, for `expired`. */
  readonly expiredAt: Date | undefined
  /** When the condition will be met, for `not-yet-valid`. */
  readonly validFrom: Date | undefined

  constructor(code: ConditionErrorCode, message: string, details: ConditionErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.expiredAt = details.expiredAt
    this.validFrom = details.validFrom
  }
}

/** Quotes foreign text for an error message, and cuts it if it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
