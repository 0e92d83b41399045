/**
 * `GET /` (and `HEAD /`): what this service is and where things are, for programs as JSON and for people as a page;
 * `GET /openapi.json`: the whole API.
 */
import { API_VERSION, type Operation, type ServiceDescription } from '@ratafia/api'
import { OPERATIONS, openApi } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import { frontPage } from '../web/front-page.ts'
import { prefersPage } from '../web/prefers-page.ts'
import { sendPage } from '../web/send-page.ts'

export interface ServiceFacts {
  /** The version of the software. */
  readonly release: string
  readonly baseUrl: string
  /** The location of the identity service. */
  readonly identity: string
  /** Where people manage their account; undefined with an identity service elsewhere. */
  readonly account: string | undefined
  /** What tools for publishers know as Ubuntu One: the address before `/api/v2/tokens/discharge`. */
  readonly signOn: string
  /** Whether people can give a tool their password. */
  readonly passwordLogins: boolean
  /** Where a gadget's `device-service.url` finds `request-id` and `serial`; without a slash at the end. */
  readonly deviceServicePath: string
  readonly tokenPrefix: string
}

export function serviceRoutes(app: FastifyInstance, facts: ServiceFacts): void {
  const description = describe(facts)
  const page = frontPage({ ...facts, deviceService: `${facts.baseUrl}${facts.deviceServicePath}/` })
  // Made once: anyone may ask for it, as often as they like. Not at the start, of which it would take 13 ms.
  let document: Buffer | undefined
  app.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    return prefersPage(request) ? sendPage(reply, 200, page) : description
  })
  app.get('/openapi.json', async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(openApi(facts)))
    return reply.header('content-type', 'application/json').send(document)
  })
}

function describe({ release, baseUrl, identity, signOn, tokenPrefix }: ServiceFacts): ServiceDescription {
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
    links: { self: baseUrl, openapi: `${baseUrl}/openapi.json`, identity, 'sign-on': signOn },
    'token-prefix': tokenPrefix,
  }
}
