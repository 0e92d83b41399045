/**
 * Refuses query parameters that the route does not have. A misspelt one would otherwise be ignored:
 * `?include_inactive=true` would list only the active sessions, and the caller would not notice.
 */
import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'

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
