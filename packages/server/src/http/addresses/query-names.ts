/**
 * Refuses query parameters that the route does not have. A misspelt one would otherwise be ignored:
 * `?include_inactive=true` would list only the active sessions, and the caller would not notice.
 */
import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'
import { invalidField } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route ignores parameters that it does not know. For pages, whose links can carry added parameters,
     * and for protocols whose clients may send more than we read.
     */
    anyQuery?: true
  }
}

/** Accepts any value for the schema's parameters: for a route that reads them more leniently than it documents. */
export const onlyNamesOf = ({ properties }: Pick<TObject, 'properties'>) => ({
  type: 'object',
  properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])),
  additionalProperties: false,
})

const NO_QUERY = onlyNamesOf({ properties: {} })

/** Applies to routes that are added to `app` later. A route with its own schema for the query keeps it. */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.anyQuery || route.schema?.querystring !== undefined) return
    route.schema = { ...route.schema, querystring: NO_QUERY }
  })
}

/** The spellings of people, and those of clients that write a boolean of their language: Python's is `True`. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
])

/** Returns false if the parameter is absent. Throws {@link RequestError} `invalid-field`. */
export function booleanParameter(query: unknown, name: string): boolean {
  const value = (query as Readonly<Record<string, unknown>>)[name]
  if (value === undefined) return false
  const field = `query/${name}`
  if (typeof value !== 'string') throw invalidField(`${field} is given more than once.`, { field })
  const meaning = SPELLINGS.get(value.toLowerCase())
  if (meaning === undefined) {
    throw invalidField(`${field} is neither yes nor no. Write true or false.`, { field })
  }
  return meaning
}
