/**
 * Compiles the schemas of routes for Fastify. Its own compilers cost 0.1 s at each start: they load what no route uses,
 * and compile the schema of schemas to check ours, which never change (`test/http/schemas.test.ts` checks them).
 */
import { Ajv, type AnySchema } from 'ajv'

/**
 * One for the process: the service and its in-process management API share compiled schemas. It never
 * converts, trims or completes what a client signs or relies on, and stops at the first finding.
 */
const ajv = new Ajv({ meta: false, validateSchema: false, addUsedSchema: false, verbose: true })

export const schemaCompilers = {
  // Fastify passes a part of a route with its schema; its types say that it passes the schema.
  buildValidator: () => (part: unknown) => ajv.compile((part as { readonly schema: AnySchema }).schema),
  buildSerializer: () => () => JSON.stringify,
}
