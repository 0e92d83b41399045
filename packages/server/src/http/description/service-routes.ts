/**
 * `GET /` (and `HEAD /`): what this service is and where things are, for programs as JSON and for people as a page;
 * `GET /openapi.json`: the whole API.
 */
import { API_VERSION, type Operation, type ServiceDescription } from '@ratafia/api'
import { OPERATIONS, openApi } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import { insideOf } from '../../addresses/address-classes.ts'
import { type FrontPage, frontPage } from '../../web/front-page.ts'
import { prefersPage } from '../../web/prefers-page.ts'
import { sendFrontPage } from '../../web/send-page.ts'
import { pathOf } from '../app.ts'
import { seeOther } from '../browsers/see-other.ts'
import { sendDocument } from './send-document.ts'

export interface ServiceFacts {
  /** The version of the software. */
  readonly release: string
  readonly baseUrl: string
  /** The location of the identity service. */
  readonly identity: string
  /** Where people manage their account; undefined with an identity service elsewhere. */
  readonly account: string | undefined
  /** How publishers' tools log in; an identity service elsewhere may change that. */
  readonly toolLogins: () => Promise<ToolLogins>
  /** Where a gadget's `device-service.url` finds `request-id` and `serial`; without a slash at the end. */
  readonly deviceServicePath: string
  readonly tokenPrefix: string
  /** Of roots that a password discharges, and of credentials that tools store with one. */
  readonly rootPrefixes: { readonly root: string; readonly stored: string }
  /** Where the console begins; undefined without one. */
  readonly console: string | undefined
  /** The networks that the console is there for; undefined for all. */
  readonly consoleFrom: readonly string[] | undefined
}

export interface ToolLogins {
  /** What the tools know as Ubuntu One: the address before `/api/v2/tokens/discharge`, without a slash at the end. */
  readonly signOn: string
  /** Whether people can give a tool their password. */
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

/** For people: what this is, and how each tool logs in here. */
export async function frontPageOf(facts: FrontFacts): Promise<FrontPage> {
  const deviceService = `${facts.baseUrl}${facts.deviceServicePath}/`
  return { ...facts, ...(await facts.toolLogins()), deviceService }
}

export type FrontFacts = Pick<
  ServiceFacts,
  'baseUrl' | 'identity' | 'account' | 'toolLogins' | 'deviceServicePath' | 'console'
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
