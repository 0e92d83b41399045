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
  /** Details beyond the summary, in Markdown. */
  readonly description?: string
  /** The codes of its refusals, besides those that every operation has. */
  readonly errors: readonly BakeryErrorCode[]
  /** Whether it may answer 504, after which the client asks again. */
  readonly waits?: boolean
  readonly query?: TSchema
  /** The headers of requests. */
  readonly headers?: TSchema
  /** The fields of a form, which can also be in the query. */
  readonly form?: TSchema
  /** A JSON body. */
  readonly body?: TSchema
  readonly response: TSchema
}

export const IDENTITY_OPERATIONS = {
  dischargeInfo: {
    method: 'GET',
    path: '/discharge/info',
    summary: 'Returns the key that seals caveats for this identity service',
    errors: [],
    response: DischargeInfoSchema,
  },
  publicKey: {
    method: 'GET',
    path: '/publickey',
    summary: 'Returns the same key, for older services',
    errors: [],
    response: PublicKeyResponseSchema,
  },
  discharge: {
    method: 'POST',
    path: '/discharge',
    summary: 'Discharges a caveat, or explains how to log in for it',
    description:
      'Without a token the response is a 401 `interaction required` with the methods to log in; nothing is stored. `id` or `id64` is required. Each parameter can be in the query instead of the form, but not in both.',
    errors: ['bad request', 'permission denied', 'interaction required', 'too many requests'],
    form: DischargeParametersSchema,
    response: DischargeResponseSchema,
  },
  agentLogin: {
    method: 'GET',
    path: '/login/agent',
    summary: "Returns a macaroon that only the agent's key can discharge",
    description:
      'Within a minute, the agent discharges its caveat for the location `local` and sends both macaroons, binary and concatenated, to `discharge` as `token64` with `token-kind=agent`.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    query: AgentLoginParametersSchema,
    headers: BakeryVersionHeadersSchema,
    response: AgentLoginResponseSchema,
  },
  waitForLogin: {
    method: 'GET',
    path: '/wait-token',
    summary: 'Waits until the user at the `VisitURL` has decided',
    description: 'It waits up to 10 minutes, then answers 504; sending it again continues the same login.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    waits: true,
    query: WaitParametersSchema,
    response: WaitResponseSchema,
  },
  redeemCode: {
    method: 'POST',
    path: '/discharge-token',
    summary: 'Returns the token for the code that a browser brought back from the `LoginURL`',
    description:
      'For web sites. A code works once, within a minute. Within 5 minutes, the token discharges the caveat that the login was for.',
    errors: ['bad request', 'permission denied', 'too many requests'],
    body: CodeSchema,
    response: CodeResponseSchema,
  },
} as const satisfies Record<string, IdentityOperation>
