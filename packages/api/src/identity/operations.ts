/** The operations of the identity service for programs. Paths are relative to its location. */
import type { TSchema } from 'typebox'
import type { BakeryErrorCode } from '../error-codes.ts'
import {
  AgentLoginParametersSchema,
  AgentLoginResponseSchema,
  BakeryVersionHeadersSchema,
  CodeResponseSchema,
  CodeSchema,
  DischargeInfoSchema,
  DischargeParametersSchema,
  DischargeResponseSchema,
  PublicKeyResponseSchema,
  WaitParametersSchema,
  WaitResponseSchema,
} from './schemas.ts'

export interface IdentityOperation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly summary: string
  /** More than the summary, in Markdown. */
  readonly description?: string
  /** The codes of its refusals, besides those that every operation has. */
  readonly errors: readonly BakeryErrorCode[]
  /** Whether it may answer 504: ask again. */
  readonly waits?: boolean
  readonly query?: TSchema
  /** The headers of requests. */
  readonly headers?: TSchema
  /** The fields of a form, which may be in the query instead. */
  readonly form?: TSchema
  /** JSON. */
  readonly body?: TSchema
  readonly response: TSchema
}

export const IDENTITY_OPERATIONS = {
  dischargeInfo: {
    method: 'GET',
    path: '/discharge/info',
    summary: 'The key that seals caveats for this identity service',
    errors: [],
    response: DischargeInfoSchema,
  },
  publicKey: {
    method: 'GET',
    path: '/publickey',
    summary: 'The same key, for older services',
    errors: [],
    response: PublicKeyResponseSchema,
  },
  discharge: {
    method: 'POST',
    path: '/discharge',
    summary: 'The discharge of a caveat, or how to log in for it',
    description:
      'Without a token the answer is a 401 `interaction required` with the ways to log in; nothing is stored. `id` or `id64` is required. The parameters may be in the query instead of the form, but none in both.',
    errors: ['bad request', 'permission denied', 'interaction required', 'too many requests'],
    form: DischargeParametersSchema,
    response: DischargeResponseSchema,
  },
  agentLogin: {
    method: 'GET',
    path: '/login/agent',
    summary: 'A macaroon that only the key of the agent can discharge',
    description:
      'The agent discharges its caveat for the location `local` and sends both macaroons, binary and concatenated, to `discharge` as `token64` with `token-kind=agent`, within a minute.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    query: AgentLoginParametersSchema,
    headers: BakeryVersionHeadersSchema,
    response: AgentLoginResponseSchema,
  },
  waitForLogin: {
    method: 'GET',
    path: '/wait-token',
    summary: 'Waits until the person at the `VisitURL` has decided',
    description: 'It waits up to 10 minutes, then answers 504; asking again continues the same login.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    waits: true,
    query: WaitParametersSchema,
    response: WaitResponseSchema,
  },
  redeemCode: {
    method: 'POST',
    path: '/discharge-token',
    summary: 'The token for the code with which a browser came back from the `LoginURL`',
    description:
      'For web sites. A code works once, within a minute. The token discharges the caveat that the login was for, within 5 minutes.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    body: CodeSchema,
    response: CodeResponseSchema,
  },
} as const satisfies Record<string, IdentityOperation>
