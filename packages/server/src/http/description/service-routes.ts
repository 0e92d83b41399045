/**
 * `GET /` (and `HEAD /`) describes the service and its endpoints, as JSON for programs and as a page for
 * people. `GET /openapi.json` describes the whole API.
 */
import { API_VERSION, type Operation, type ServiceDescription } from '@ratafia/api'
import { OPERATIONS, openApi } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import { insideOf } from '../../addresses/address-classes.ts'
import { type FrontPage, frontPage } from '../../web/front-page.ts'
import { prefersPage, sendFrontPage } from '../../web/send-page.ts'
import { pathOf } from '../app.ts'
import { seeOther } from '../browsers/see-other.ts'
import { sendDocument } from './send-document.ts'

export interface ServiceFacts {
  /** The version of the software. */
  readonly release: string
  readonly baseUrl: string
  /** The location of the identity service. */
  readonly identity: string
  /** Where users manage their account; undefined with an external identity service. */
  readonly account: string | undefined
  /** How publishers' tools log in; an external identity service may change that. */
  readonly toolLogins: () => Promise<ToolLogins>
  /** The path where `request-id` and `serial` are for a gadget's `device-service.url`; without a trailing slash. */
  readonly deviceServicePath: string
  readonly tokenPrefix: string
  /** The prefixes of roots that a password discharges, and of the credentials that tools store with one. */
  readonly rootPrefixes: { readonly root: string; readonly stored: string }
  /** The URL of the console; undefined without one. */
  readonly console: string | undefined
  /** The URL of the documentation; undefined if the service does not have it. */
  readonly docs: string | undefined
  /** The networks that can reach the console; undefined for all. */
  readonly consoleFrom: readonly string[] | undefined
}

export interface ToolLogins {
  /** The tools' replacement for Ubuntu One: the address before `/api/v2/tokens/discharge`, without a trailing slash. */
  readonly signOn: string
  /** Whether users can give a tool their password. */
  readonly passwordLogins: boolean
}

const LIMITED = { config: { limit: 'pages' } } as const

export function serviceRoutes(app: FastifyInstance, facts: ServiceFacts): void {
  const description = describe(facts)
  const { console, consoleFrom } = facts
  const hasConsole = consoleFrom ? insideOf(consoleFrom) : () => true
  app.get('/', { config: { ...LIMITED.config, anyQuery: true } }, async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!prefersPage(request)) {
      const logins = await facts.toolLogins()
      return { ...description, links: { ...description.links, 'sign-on': logins.signOn } }
    }
    if (console !== undefined && hasConsole(request.client.address)) {
      return seeOther(reply, `${pathOf(facts.baseUrl)}/console/`)
    }
    return sendFrontPage(reply, frontPage(await frontPageOf({ ...facts, console: undefined })))
  })
  const document = sendDocument(() => openApi(facts))
  app.get('/openapi.json', LIMITED, async (request, reply) => document(request, reply))
}

/** Returns the facts for the front page: what the service is, and how each tool logs in. */
export async function frontPageOf(facts: FrontFacts): Promise<FrontPage> {
  const deviceService = `${facts.baseUrl}${facts.deviceServicePath}/`
  return { ...facts, ...(await facts.toolLogins()), deviceService }
}

export type FrontFacts = Pick<
  ServiceFacts,
  'baseUrl' | 'identity' | 'account' | 'toolLogins' | 'deviceServicePath' | 'console' | 'docs'
>

function describe({
  release,
  baseUrl,
  identity,
  tokenPrefix,
  rootPrefixes,
}: ServiceFacts): ServiceDescription {
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
    'root-prefix': rootPrefixes.root,
    'stored-root-prefix': rootPrefixes.stored,
  }
}
