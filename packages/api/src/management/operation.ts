/** What there is to say about one operation of the management API (contract/administration.md, A1 and A21). */
import type { TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../error-codes.ts'
import { Type } from '../type.ts'
import type { ManagementPermission } from './roles.ts'

export interface ManagementOperation {
  /** `PATCH` is a JSON Merge Patch (RFC 7396) of a record, and takes `If-Match`. `PUT` is never of a whole record. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below {@link MANAGEMENT_PREFIX}, with `:name` for a parameter. */
  readonly path: string
  /** What its last parameter never is, because it belongs to the path of another operation. */
  readonly exceptIds?: readonly string[]
  readonly summary: string
  /** More than the summary, in Markdown. */
  readonly description?: string
  readonly credential: 'none' | 'management-root' | 'management-token'
  /** The permission it takes. Absent: whoever is signed in may do it, about their own. */
  readonly permission?: ManagementPermission
  /** Only for people, and not for agents. */
  readonly person?: true
  /** Only within 15 minutes of signing in. */
  readonly recentSignIn?: true
  /** Its refusals, besides those that every operation has. */
  readonly errors: readonly ErrorCode[]
  /** Its own parameters: {@link querySchemaOf} adds what every change takes. */
  readonly query?: TObject
  readonly body?: TSchema
  readonly bodyRequired?: boolean
  /** The body is a file. */
  readonly file?: FileBody
  readonly response: TSchema
  /** The media types of an answer that is sent while it is read, instead of JSON. `response` is of its text. */
  readonly streams?: readonly string[]
  /** Default: 200. */
  readonly status?: 201 | 202
  /** Another success: what was asked for is there already. */
  readonly alsoStatus?: 200
  /** The answer has a `Location`: the path of the operation and the `id` of what was made. */
  readonly location?: true
  /** Its answer has a secret: a request that is sent again gets it for a few minutes only. */
  readonly secret?: true
  /** A single record, which has an `ETag`: what is read may be compared, what is changed must match. */
  readonly record?: true
  /** It is a POST for what it is sent, which must not stand in an address, and changes nothing. */
  readonly onlyReads?: true
  /** What it writes into the audit log. */
  readonly actions?: readonly string[]
}

export interface FileBody {
  /** It has at most so many. */
  readonly bytes: number
  /** Only where the query has this parameter; otherwise it is the JSON of `body`. */
  readonly onlyWith?: string
  /** The media types to send. Any is taken. */
  readonly types: readonly string[]
}

/** A change takes `dry_run`, unless it makes a token. */
export const isChange = ({ method, credential, onlyReads }: ManagementOperation): boolean =>
  method !== 'GET' && credential === 'management-token' && !onlyReads

const DryRun = Type.Optional(
  Type.Boolean({ description: 'Make the change and undo it: the answer is what it would be' }),
)

const querySchemas = new WeakMap<ManagementOperation, TObject>()

/**
 * Returns the schema of an operation's parameters in the query, with `dry_run` of a change (contract/administration.md,
 * A13), and accepts no other. Always the same object for an operation: what compiles a schema knows it again.
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

/** Whether it takes the version that the caller has seen, instead of any that is there. */
export const takesVersion = ({ method }: Pick<ManagementOperation, 'method'>): boolean => method === 'PATCH'

/** Of an operation that takes a management token. */
export const SIGNED_IN = { credential: 'management-token' } as const
