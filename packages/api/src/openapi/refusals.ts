/** Describes the refusals of an operation as responses, from its error codes. */

import { ErrorBodySchema } from '../error-body.ts'
import {
  BAKERY_ERROR_CODES,
  type BakeryErrorCode,
  ERROR_CODES,
  type ErrorCode,
  LOGIN_ERROR_CODES,
  type LoginErrorCode,
} from '../error-codes.ts'
import type { IdentityOperation } from '../identity/operations.ts'
import { BakeryErrorSchema } from '../identity/schemas.ts'
import type { Operation } from '../operation.ts'
import type { PasswordOperation } from '../publishers/password-operations.ts'
import { LoginErrorSchema } from '../publishers/schemas.ts'
import type { Described, Response } from './described.ts'
import { type HeaderName, headersNamed } from './headers.ts'

export type Responses = Described['responses']

/** Returns the responses by status. Refusals before a request is read are references to {@link unreadResponses}. */
export function refusalsOf({
  method,
  errors,
  limited,
  credential,
  errorBody = ErrorBodySchema,
}: Pick<Operation, 'method' | 'errors' | 'limited' | 'credential' | 'errorBody'>): Responses {
  const codes: readonly ErrorCode[] = [
    'invalid-request',
    ...errors,
    ...(method === 'POST' ? (['request-too-large'] as const) : []),
    ...(limited === 429 ? (['too-many-requests'] as const) : []),
    'service-unavailable',
  ]
  const responses = Map.groupBy(codes, (code) => ERROR_CODES[code].status)
  return inOrder([
    ...UNREAD,
    ...(method === 'POST' ? ENCODED : []),
    ...[...responses].map(([status, ofStatus]) => {
      const lines = ofStatus.map((code) => `- \`${code}\`: ${ERROR_CODES[code].meaning}`)
      if (status === 503 && limited === 503) lines.push(LIMITED_AS_503)
      const names = headersOf(status, credential !== 'none')
      const early = errorBody !== ErrorBodySchema && (status === 400 || status === 503)
      const schema = early ? { anyOf: [errorBody, ErrorBodySchema] } : errorBody
      if (early) lines.push(EARLY)
      return [String(status), response(lines, ofStatus, names, schema)] as const
    }),
  ])
}

const LIMITED_AS_503 =
  '- `service-unavailable` also when an address sends too many requests: snapd retries after a 503, but not after a 429.'

/** Returns the responses for these codes, and those that come before a request is read. */
export function refusalsOfCodes(codes: readonly ErrorCode[], credential: boolean): Responses {
  return inOrder([
    ...UNREAD,
    ...(codes.includes('request-too-large') ? ENCODED : []),
    ...[...Map.groupBy(codes, (code) => ERROR_CODES[code].status)].map(([status, ofStatus]) => {
      const lines = ofStatus.map((code) => `- \`${code}\`: ${ERROR_CODES[code].meaning}`)
      const names = status === 409 ? (['Retry-After'] as const) : headersOf(status, credential)
      return [String(status), response(lines, ofStatus, names, ErrorBodySchema)] as const
    }),
  ])
}

/** Does the same for the identity service, whose errors have the bakery's form. */
export function identityRefusalsOf({ errors, waits, method }: IdentityOperation): Responses {
  const codes: readonly BakeryErrorCode[] = [...new Set([...errors, 'service unavailable' as const])]
  const responses = Map.groupBy(codes, (code) => BAKERY_ERROR_CODES[code])
  return inOrder([
    ...UNREAD,
    ...(method === 'POST' ? ENCODED : []),
    // Even an operation without such a code answers 400 to invalid HTTP.
    ...(responses.has(400) ? [] : [['400', UNREADABLE] as const]),
    ...(waits
      ? [['504', response([STILL_WAITING], ['service unavailable'], [], BakeryErrorSchema)] as const]
      : []),
    ...[...responses].map(([status, ofStatus]) => {
      const lines = ofStatus.map((code) => `- \`${code}\`: ${BAKERY_MEANINGS[code]}`)
      const early = status === 400 || status === 503
      const schema = early ? { anyOf: [BakeryErrorSchema, ErrorBodySchema] } : BakeryErrorSchema
      if (early) lines.push(EARLY)
      return [String(status), response(lines, ofStatus, headersOf(status, true), schema)] as const
    }),
  ])
}

/** Does the same for logins with a password, whose errors have their own form. */
export function loginRefusalsOf({ errors }: PasswordOperation): Responses {
  const codes: readonly LoginErrorCode[] = [
    'INVALID_DATA',
    'INVALID_CREDENTIALS',
    ...errors,
    'PASSWORD_LOGIN_OFF',
    'HTTPS_REQUIRED',
    'REQUEST_TOO_LARGE',
    'TOO_MANY_REQUESTS',
    'SERVICE_UNAVAILABLE',
  ]
  return inOrder([
    ...UNREAD,
    ...ENCODED,
    ...[...Map.groupBy(codes, (code) => LOGIN_ERROR_CODES[code].status)].map(([status, ofStatus]) => {
      const lines = ofStatus.map((code) => `- \`${code}\`: ${LOGIN_ERROR_CODES[code].meaning}`)
      const early = status === 400 || status === 503
      const schema = early ? { anyOf: [LoginErrorSchema, ErrorBodySchema] } : LoginErrorSchema
      if (early) lines.push(EARLY)
      return [String(status), response(lines, ofStatus, headersOf(status, true), schema)] as const
    }),
  ])
}

const BAKERY_MEANINGS: Readonly<Record<BakeryErrorCode, string>> = {
  'interaction required': 'The caveat can be discharged after a login, by one of the methods in `Info`.',
  'permission denied':
    'A condition that this service does not discharge, a caveat for a different key, or a login that was rejected, has expired, is for a different caveat or of an unknown agent.',
  'bad request': 'A parameter is missing, duplicate or invalid. The message names it.',
  'not found': 'The identity service has nothing at this path.',
  'too many requests': 'Your address, or its network, sent more requests than this service allows.',
  'service unavailable':
    'The database does not answer, the service is stopping, or too many clients are waiting. Try again.',
  'internal error': 'An internal error. It is logged; report it to the operator.',
}

const EARLY = '- An `ErrorBody`: refused before the request reached the operation.'
const STILL_WAITING = '- `service unavailable`: The user has not decided yet. Ask again.'

const UNREADABLE = response(
  [`- \`invalid-request\`: ${ERROR_CODES['invalid-request'].meaning}`],
  ['invalid-request'],
  [],
  ErrorBodySchema,
)

const UNREAD = [
  ['408', { $ref: '#/components/responses/TooSlow' }],
  ['431', { $ref: '#/components/responses/HeadersTooLarge' }],
] as const

/** The refusal of encoded bodies, for operations with a body. */
const ENCODED = [['415', { $ref: '#/components/responses/EncodedBody' }]] as const

/** Refusals before a request is read, for `components`. */
export const unreadResponses: Responses = {
  TooSlow: response(
    ['- `invalid-request`: The request did not arrive in time. The connection is closed.'],
    ['invalid-request'],
    [],
    ErrorBodySchema,
  ),
  HeadersTooLarge: response(
    [`- \`headers-too-large\`: ${ERROR_CODES['headers-too-large'].meaning} The connection is closed.`],
    ['headers-too-large'],
    [],
    ErrorBodySchema,
  ),
  EncodedBody: response(
    [`- \`unsupported-encoding\`: ${ERROR_CODES['unsupported-encoding'].meaning}`],
    ['unsupported-encoding'],
    ['Accept-Encoding'],
    ErrorBodySchema,
  ),
}

function headersOf(status: number, credential: boolean): readonly HeaderName[] {
  if (status === 401 && credential) return ['WWW-Authenticate']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}

function response(
  lines: readonly string[],
  codes: readonly string[],
  headers: readonly HeaderName[],
  schema: object,
): Response {
  return {
    description: lines.join('\n'),
    headers: headersNamed(['Snap-Store-Version', ...headers]),
    content: { 'application/json': { schema } },
    'x-error-codes': codes,
  }
}

const inOrder = (entries: readonly (readonly [string, Response])[]): Responses =>
  Object.fromEntries([...entries].sort(([a], [b]) => Number(a) - Number(b)))
