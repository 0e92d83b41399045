/** The reasons why an exchange is refused (contract/oidc.md, "The exchange"). */
import type { ErrorCode } from '@ratafia/api'
import { RequestError, Unavailable } from '../errors.ts'

/** The reasons, for metrics and the audit log, each with the code of its answer. A published name keeps its meaning. */
export const REASONS = {
  malformed: 'invalid-request',
  'too-large': 'invalid-request',
  'ambiguous-rule': 'invalid-request',
  'wider-than-rule': 'invalid-scope',
  'issuer-unknown': 'invalid-grant',
  algorithm: 'invalid-grant',
  type: 'invalid-grant',
  'key-unknown': 'invalid-grant',
  signature: 'invalid-grant',
  audience: 'invalid-grant',
  expired: 'invalid-grant',
  'not-yet-valid': 'invalid-grant',
  'issued-in-future': 'invalid-grant',
  'life-too-long': 'invalid-grant',
  'claim-invalid': 'invalid-grant',
  event: 'invalid-grant',
  'no-rule': 'invalid-grant',
  used: 'invalid-grant',
  'account-disabled': 'invalid-grant',
  'rule-disabled': 'invalid-grant',
} as const satisfies Readonly<Record<string, ErrorCode>>

export type Reason = keyof typeof REASONS

interface ExchangeRefusalDetails {
  /** Default: that of the reason. */
  readonly code?: ErrorCode
  /** Sent to the client. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The message shows the content of the token, never what a rule expects or whether a rule exists (A21). */
export class ExchangeRefusal extends RequestError {
  readonly reason: Reason

  constructor(
    reason: Reason,
    message: string,
    { code = REASONS[reason], ...details }: ExchangeRefusalDetails = {},
  ) {
    super(code, message, { ...details, private: reason })
    this.reason = reason
  }
}

/** Thrown if the keys of the issuer are unknown or too old, and the issuer does not answer. */
export class KeysUnavailable extends Unavailable {
  override readonly name = 'KeysUnavailable'
}

/** How an exchange ended, for the metrics (contract/oidc.md, A23). */
export type Outcome = Reason | 'granted' | 'keys-unavailable' | 'database' | 'fault'

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof ExchangeRefusal) return error.reason
  if (error instanceof RequestError) return 'malformed'
  if (error instanceof KeysUnavailable) return 'keys-unavailable'
  return error instanceof Unavailable ? 'database' : 'fault'
}
