/** Logins with a password, as Ubuntu One spells them: on the host that holds the accounts. */
import type { TSchema } from 'typebox'
import type { LoginErrorCode } from '../error-codes.ts'
import {
  PasswordDischargeRequestSchema,
  PasswordDischargeResponseSchema,
  RefreshRequestSchema,
} from './schemas.ts'

export interface PasswordOperation {
  readonly method: 'POST'
  readonly path: string
  readonly summary: string
  /** More than the summary, in Markdown. */
  readonly description: string
  /** The codes of its refusals, besides those that both have. */
  readonly errors: readonly LoginErrorCode[]
  readonly body: TSchema
  readonly response: TSchema
}

export const PASSWORD_OPERATIONS = {
  passwordDischarge: {
    method: 'POST',
    path: '/api/v2/tokens/discharge',
    summary:
      'The discharge of an Ubuntu One login, for a password and, if the account has one, a second factor',
    description:
      'It opens the session, so the login can be listed and revoked from now on. Served over https only, and over plain HTTP on a loopback address.',
    errors: ['TWOFACTOR_REQUIRED', 'TWOFACTOR_FAILURE', 'ACCOUNT_SUSPENDED'],
    body: PasswordDischargeRequestSchema,
    response: PasswordDischargeResponseSchema,
  },
  refreshDischarge: {
    method: 'POST',
    path: '/api/v2/tokens/refresh',
    summary: 'A fresh discharge for one that expired, however old',
    description:
      'Refused once the session is revoked or over, the account is disabled, or its password was changed. The same discharge can be refreshed again and again.',
    errors: [],
    body: RefreshRequestSchema,
    response: PasswordDischargeResponseSchema,
  },
} as const satisfies Record<string, PasswordOperation>
