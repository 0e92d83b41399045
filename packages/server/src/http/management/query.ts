/**
 * Reads the query of a request as its schema has it: a number from digits, a list from a parameter that repeats. Nothing
 * is guessed: what is not written as the schema says is refused when the request is validated.
 */
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
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
      request.query = read(request, properties)
      done()
    } catch (error) {
      done(asError(error))
    }
  }

function read({ query }: FastifyRequest, properties: NonNullable<QuerySchema['properties']>): object {
  return Object.fromEntries(
    Object.entries(query as Readonly<Record<string, string | readonly string[]>>).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
      if (type === 'array') return [name, Array.isArray(value) ? value : [value]]
      if (typeof value !== 'string') {
        const field = `query/${name.slice(0, 64)}`
        throw invalidField(`${field} is given more than once.`, { field })
      }
      return [name, READ[type ?? 'string']?.(value) ?? value]
    }),
  )
}

/** Undefined for a text that is none: the text stays, and the validation says what it should be. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (/^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}
