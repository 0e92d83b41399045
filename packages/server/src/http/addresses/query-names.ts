/**
 * Refuses parameters of a query that the route does not have. A misspelt one would otherwise be ignored:
 * `?include_inactive=true` would list the active sessions, and nobody would notice.
 */
import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route ignores parameters that it does not know: pages, to which links add their own, and protocols whose
     * clients may send more than we read.
     */
    anyQuery?: true
  }
}

/** Takes the parameters of the schema with any value: for a route that reads them more leniently than it documents. */
export const onlyNamesOf = ({ properties }: Pick<TObject, 'properties'>) => ({
  type: 'object',
  properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])),
  additionalProperties: false,
})

const NO_QUERY = onlyNamesOf({ properties: {} })

/** For routes added to `app` later. A route that has a schema for its query says itself what it takes. */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.anyQuery || route.schema?.querystring !== undefined) return
    route.schema = { ...route.schema, querystring: NO_QUERY }
  })
}
