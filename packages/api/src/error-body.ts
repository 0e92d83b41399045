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
 * The body of every 4xx and 5xx of the API. Both spellings carry the same list: the v1 clients of the store
 * read `error_list`, the v2 clients `error-list`.
 */
export const ErrorBodySchema = Type.Object(
  {
    title: Type.Optional(
      Type.String({ minLength: 1, description: 'The message, where surl asks: it shows nothing else' }),
    ),
    error_list: Type.Array(ErrorItemSchema, { minItems: 1 }),
    'error-list': Type.Array(ErrorItemSchema, { minItems: 1 }),
  },
  { title: 'ErrorBody', additionalProperties: false },
)
export type ErrorBody = Static<typeof ErrorBodySchema>
