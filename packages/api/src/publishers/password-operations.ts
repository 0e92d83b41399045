/** Logins with a password in Ubuntu One's form, on the host that has the accounts. */
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
  /** Details beyond the summary, in Markdown. */
  readonly description: string
  /** The codes of its refusals, besides those that both operations have. */
  readonly errors: readonly LoginErrorCode[]
  readonly body: TSchema
  readonly response: TSchema
}

export const PASSWORD_OPERATIONS = {
  passwordDischarge: {
    method: 'POST',
    path: '/api/v2/tokens/discharge',
    summary: 'Discharges an Ubuntu One login for a password and, if the account has one, a second factor',
    description:
      'It opens the session, so the login can be listed and revoked from now on. Available only over https, or over plain HTTP on a loopback address.',
    errors: ['TWOFACTOR_REQUIRED', 'TWOFACTOR_FAILURE', 'ACCOUNT_SUSPENDED'],
    body: PasswordDischargeRequestSchema,
    response: PasswordDischargeResponseSchema,
  },
  refreshDischarge: {
    method: 'POST',
    path: '/api/v2/tokens/refresh',
    summary: 'Refreshes an expired discharge, however old it is',
    description:
      'Refused once the session is revoked or has expired, the account is disabled, or its password was changed. The same discharge can be refreshed any number of times.',
    errors: [],
    body: RefreshRequestSchema,
    response: PasswordDischargeResponseSchema,
  },
} as const satisfies Record<string, PasswordOperation>
