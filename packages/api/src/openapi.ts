/** The operations as an OpenAPI 3.1 document: made from the same schemas that validate requests. */
import type { TSchema } from 'typebox'
import { ErrorBodySchema } from './errors.ts'
import { API_VERSION, OPERATIONS, type Operation } from './operations.ts'

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not one this endpoint takes',
  401: 'No macaroon, or one that does not hold',
  413: 'The body is larger than 64 KiB',
  503: 'It could not be checked; try again',
}

/** The document, a plain JSON object. `server` is the base URL. */
export function openApi(server: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(name, operation),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ratafia',
      version: String(API_VERSION),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    paths,
    components: {
      schemas: { Error: ErrorBodySchema },
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Macaroon TOKEN`, where TOKEN is what the exchange answered',
        },
        rootAndDischarge: {
          type: 'apiKey',
          in: 'header',
          name: 'Macaroons',
          description: 'base64 of a JSON list: a root macaroon and its bound discharges',
        },
      },
    },
  }
}

const SECURITY: Readonly<Record<Operation['credential'], readonly object[]>> = {
  none: [],
  'root-and-discharge': [{ rootAndDischarge: [] }],
  token: [{ token: [] }, { rootAndDischarge: [] }],
}

function describe(name: string, operation: Operation): Record<string, unknown> {
  const { summary, since, credential, query, body, response, refusals } = operation
  const errors = refusals.map((status) => [
    String(status),
    { description: REFUSALS[status] ?? 'Refused', ...json({ $ref: '#/components/schemas/Error' }) },
  ])
  return {
    operationId: name,
    summary,
    'x-since-version': since,
    ...(query ? { parameters: queryParameters(query) } : {}),
    ...(body ? { requestBody: { required: false, ...json(body) } } : {}),
    responses: { 200: { description: 'Done', ...json(response) }, ...Object.fromEntries(errors) },
    security: SECURITY[credential],
  }
}

const json = (schema: object) => ({ content: { 'application/json': { schema } } })

function queryParameters(query: TSchema): unknown[] {
  const { properties = {} } = query as { properties?: Readonly<Record<string, unknown>> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}
