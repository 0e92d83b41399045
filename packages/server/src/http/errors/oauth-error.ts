/** Refusals for clients of OAuth: the keys of RFC 6749 (5.2) beside the lists of every refusal (contract/oidc.md, A21). */
import type { ErrorCode, OAuthError, OAuthErrorCode } from '@ratafia/api'
import { errorBody, type Refusal } from './refusal.ts'

/** Codes that OAuth has another name for; all others are `invalid_request`. */
const CODES: ReadonlyMap<ErrorCode, OAuthErrorCode> = new Map<ErrorCode, OAuthErrorCode>([
  ['invalid-grant', 'invalid_grant'],
  ['invalid-scope', 'invalid_scope'],
  ['invalid-target', 'invalid_target'],
  ['unsupported-grant-type', 'unsupported_grant_type'],
  ['too-many-requests', 'slow_down'],
  ['service-unavailable', 'temporarily_unavailable'],
  ['internal-error', 'server_error'],
])

export const oauthErrorBody = (refused: Refusal): OAuthError => ({
  error: CODES.get(refused.code) ?? 'invalid_request',
  error_description: descriptionOf(refused.message),
  ...errorBody(refused),
})

/** In the characters that the description may have: no quotation marks, no backslash, only ASCII. */
const descriptionOf = (message: string): string => message.replaceAll('"', "'").replace(/[^ !#-[\]-~]/gu, '?')
