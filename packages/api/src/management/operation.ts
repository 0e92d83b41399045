/** The declaration of an operation of the management API (contract/administration.md, A1 and A21). */
import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../error-codes.ts'
import { Type } from '../type.ts'
import type { ManagementPermission } from './roles.ts'

export interface ManagementOperation {
  /**
   * `PATCH` is a JSON Merge Patch (RFC 7396) of a record, and requires `If-Match`. `PUT` never sends a whole record.
   */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** The path below {@link MANAGEMENT_PREFIX}, with `:name` for a parameter. */
  readonly path: string
  /** Values that its last parameter cannot have, because they belong to the path of another operation. */
  readonly exceptIds?: readonly string[]
  readonly summary: string
  /** Details beyond the summary, in Markdown. */
  readonly description?: string
  readonly credential: 'none' | 'management-root' | 'management-token'
  /** The required permission. Absent if every signed-in user can use it for their own records. */
  readonly permission?: ManagementPermission
  /** Whether only people can use it, and not agents. */
  readonly person?: true
  /** Whether it requires a sign-in within the last 15 minutes. */
  readonly recentSignIn?: true
  /** The codes of its refusals, besides those that every operation has. */
  readonly errors: readonly ErrorCode[]
  /** Its own parameters: {@link querySchemaOf} adds those of every change. */
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyRequired?: boolean
  /** The limits of the body, if it is a file. */
  readonly file?: FileBody
  readonly response: TSchema
  /** The media types of an answer that is streamed instead of JSON. `response` describes its text. */
  readonly streams?: readonly string[]
  /** Default: 200. */
  readonly status?: 201 | 202
  /** Another success status, for work that has already finished. */
  readonly alsoStatus?: 200
  /** Whether the answer has a `Location`: the operation's path and the `id` of the new record. */
  readonly location?: true
  /** Whether its answer has a secret: a repeated request gets it for a few minutes only. */
  readonly secret?: true
  /** Whether the answer is a single record, with an `ETag` for reading conditionally and changing safely. */
  readonly record?: true
  /** Whether it changes nothing, and is a POST only because what it sends must not be in a URL. */
  readonly onlyReads?: true
  /** The actions that it records in the audit log. */
  readonly actions?: readonly string[]
}

export interface FileBody {
  /** The maximum size in bytes. */
  readonly bytes: number
  /** The query parameter that makes the body a file; without it, the body is the JSON of `body`. */
  readonly onlyWith?: string
  /** The media types that clients should send. Any is accepted. */
  readonly types: readonly string[]
}

/** Whether it is a change, which accepts `dry_run`. Creating a token does not count. */
export const isChange = ({ method, credential, onlyReads }: ManagementOperation): boolean =>
  method !== 'GET' && credential === 'management-token' && !onlyReads

const DryRun = Type.Optional(
  Type.Boolean({ description: 'Make the change and roll it back: the response is what it would be' }),
)

const querySchemas = new WeakMap<ManagementOperation, TObject>()

/**
 * Returns the schema of an operation's query parameters, with `dry_run` for a change (contract/administration.md, A13),
 * and no others. Returns the same object each time, so that it is compiled only once.
 */
export function querySchemaOf(operation: ManagementOperation): TObject {
  const known = querySchemas.get(operation)
  if (known) return known
  const schema = Type.Object(
    { ...operation.query?.properties, ...(isChange(operation) && { dry_run: DryRun }) },
    { additionalProperties: false },
  )
  querySchemas.set(operation, schema)
  return schema
}

/** Whether it requires the version that the caller has seen. */
export const takesVersion = ({ method }: Pick<ManagementOperation, 'method'>): boolean => method === 'PATCH'

/** The credential of operations that require a management token. */
export const SIGNED_IN = { credential: 'management-token' } as const
