/** `GET /` (and `HEAD /`): what this service is and where things are; `GET /openapi.json`: the whole API. */
import { API_VERSION, type Operation, type ServiceDescription } from '@ratafia/api'
import { OPERATIONS, openApi } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'

export interface ServiceFacts {
  /** The version of the software. */
  readonly release: string
  readonly baseUrl: string
  /** The location of the identity service. */
  readonly identity: string
  /** Where a gadget's `device-service.url` finds `request-id` and `serial`; without a slash at the end. */
  readonly deviceServicePath: string
  readonly tokenPrefix: string
}

export function serviceRoutes(app: FastifyInstance, facts: ServiceFacts): void {
  const description = describe(facts)
  // Made once: anyone may ask for it, as often as they like. Not at the start, of which it would take 13 ms.
  let document: Buffer | undefined
  app.get('/', async () => description)
  app.get('/openapi.json', async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(openApi(facts)))
    return reply.header('content-type', 'application/json').send(document)
  })
}

function describe({ release, baseUrl, identity, tokenPrefix }: ServiceFacts): ServiceDescription {
  const endpoints = Object.values<Operation>(OPERATIONS).map(({ method, path, since, summary }) => ({
    method,
    path,
    ...(since === undefined ? {} : { since }),
    summary,
  }))
  return {
    service: 'ratafia',
    release,
    version: API_VERSION,
    endpoints,
    links: { self: baseUrl, openapi: `${baseUrl}/openapi.json`, identity },
    'token-prefix': tokenPrefix,
  }
}
