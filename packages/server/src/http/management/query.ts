/**
 * Reads the query of a request as its schema has it: a number from digits, a list from a parameter that repeats. Nothing
 * is guessed: what is not written as the schema says is refused when the request is validated.
 */
import type { preValidationHookHandler } from 'fastify'
import { invalidField } from '../../errors.ts'
import { asError } from '../hooks.ts'

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
}

/** Before the validation of a route whose query has this schema. */
export const readQuery =
  ({ properties = {} }: QuerySchema): preValidationHookHandler =>
  (request, _reply, done) => {
    try {
      // Fastify's parser makes texts, and lists of a parameter that repeats.
      request.query = readParameters(request.query as Parameters, properties)
      done()
    } catch (error) {
      done(asError(error))
    }
  }

type Parameters = Readonly<Record<string, unknown>>

/** Throws {@link RequestError} `invalid-field` for a parameter that is given more than once and is no list. */
export function readParameters(
  parameters: Parameters,
  properties: NonNullable<QuerySchema['properties']>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      // The validation refuses it, and says so.
      if (!Object.hasOwn(properties, name)) return [name, value]
      const type = properties[name]?.type
      if (type === 'array') return [name, Array.isArray(value) ? value : [value]]
      if (Array.isArray(value)) {
        const field = `query/${name.slice(0, 64)}`
        throw invalidField(`${field} is given more than once.`, { field })
      }
      return [name, typeof value === 'string' ? (READ[type ?? 'string']?.(value) ?? value) : value]
    }),
  )
}

/** Undefined for a text that is none: the text stays, and the validation says what it should be. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (/^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}
