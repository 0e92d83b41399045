/**
 * Reads the query of a request by its schema: a number from digits, a list from a repeated parameter. Nothing
 * is guessed: a value that the schema does not allow is refused when the request is validated.
 */
import type { preValidationHookHandler } from 'fastify'
import { invalidField } from '../../errors.ts'
import { asError } from '../hooks.ts'

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
}

/** Runs before the validation of a route whose query has this schema. */
export const readQuery =
  ({ properties = {} }: QuerySchema): preValidationHookHandler =>
  (request, _reply, done) => {
    try {
      // Fastify's parser returns strings, and lists for a repeated parameter.
      request.query = readParameters(request.query as Parameters, properties)
      done()
    } catch (error) {
      done(asError(error))
    }
  }

type Parameters = Readonly<Record<string, unknown>>

/** Throws {@link RequestError} `invalid-field` for a repeated parameter that is not a list. */
export function readParameters(
  parameters: Parameters,
  properties: NonNullable<QuerySchema['properties']>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      // The validation refuses an unknown parameter with its own message.
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

/** Returns undefined for an invalid text, which then stays: the validation explains the expected form. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (/^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}
