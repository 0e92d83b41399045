/** The body of a refusal. */
import type { Static } from 'typebox'
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'
import { Type } from './type.ts'

const ErrorItemSchema = Type.Object(
  {
    code: Type.Enum(Object.keys(ERROR_CODES) as ErrorCode[], { type: 'string', title: 'ErrorCode' }),
    message: Type.String({ minLength: 1 }),
    extra: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'ErrorItem', additionalProperties: false },
)

/**
 * The body of every 4xx and 5xx of the API. Both spellings have the same list: the store's v1 clients read
 * `error_list`, and the v2 clients `error-list`.
 */
export const ErrorBodySchema = Type.Object(
  {
    title: Type.Optional(
      Type.String({ minLength: 1, description: 'The message, only for surl, which shows nothing else' }),
    ),
    error_list: Type.Array(ErrorItemSchema, { minItems: 1 }),
    'error-list': Type.Array(ErrorItemSchema, { minItems: 1 }),
  },
  { title: 'ErrorBody', additionalProperties: false },
)
export type ErrorBody = Static<typeof ErrorBodySchema>
