/** The operations as an OpenAPI 3.1 document: made from the same schemas that validate requests. */
import type { TSchema } from 'typebox'
import { ErrorBodySchema } from './error-body.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { API_VERSION } from './version.ts'

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The endpoint does not take this request',
  401: 'No valid credential',
  404: 'Not found',
  413: 'The body is too large for this endpoint',
  503: 'The service could not check it; try again',
}

/** The document, a plain JSON object. `server` is the base URL. */
export function openApi(server: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const path = templateOf(operation.path)
    paths[path] = {
      ...paths[path],
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
          description: '`Macaroon TOKEN`, where TOKEN comes from the exchange',
        },
        rootAndDischarge: {
          type: 'apiKey',
          in: 'header',
          name: 'Macaroons',
          description: 'base64 of a JSON list: a root macaroon and its bound discharges',
        },
        deviceSession: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Device-Authorization',
          description: '`Macaroon root="SESSION"`, where SESSION comes from `/sessions`',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'api-key',
          description: 'A key of the model, if it has any',
        },
      },
    },
  }
}

const SECURITY: Readonly<Record<Operation['credential'], readonly object[]>> = {
  none: [],
  'root-and-discharge': [{ rootAndDischarge: [] }],
  token: [{ token: [] }, { rootAndDischarge: [] }],
  'device-session': [{ deviceSession: [] }],
  'previous-session': [{}, { deviceSession: [] }],
  'api-key': [{}, { apiKey: [] }],
}

function describe(name: string, operation: Operation): Record<string, unknown> {
  const { summary, since, credential, query, body, response, refusals, accepted } = operation
  const path = [...templateOf(operation.path).matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
  const parameters = [...path.map(pathParameter), ...(query ? queryParameters(query) : [])]
  const errors = refusals.map((status) => [
    String(status),
    {
      description: REFUSALS[status] ?? 'Refused',
      ...content(undefined, { $ref: '#/components/schemas/Error' }),
    },
  ])
  return {
    operationId: name,
    summary,
    'x-since-version': since,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: false, ...content(operation.bodyType, body) } } : {}),
    responses: {
      200: { description: 'Done', ...content(operation.responseType, response) },
      ...(accepted ? { 202: { description: accepted } } : {}),
      ...Object.fromEntries(errors),
    },
    security: SECURITY[credential],
  }
}

const content = (type: string | undefined, schema: object) => ({
  content: { [type ?? 'application/json']: { schema } },
})

/** `/a/:type/*` is `/a/{type}/{key}` in an OpenAPI document. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace('*', '{key}')

const pathParameter = (name: string | undefined) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})

function queryParameters(query: TSchema): unknown[] {
  const { properties = {} } = query as { properties?: Readonly<Record<string, unknown>> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}
