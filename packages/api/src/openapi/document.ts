/** The API as an OpenAPI 3.1 document, from the same tables as the routes and the checks of requests. */
import { IDENTITY_OPERATIONS } from '../identity/operations.ts'
import { ASSERTION_KEYS, OPERATIONS } from '../operations.ts'
import { PASSWORD_OPERATIONS } from '../publishers/password-operations.ts'
import { ServiceDescriptionSchema } from '../service.ts'
import { Type } from '../type.ts'
import { API_VERSION } from '../version.ts'
import { securitySchemes } from './credentials.ts'
import {
  describeIdentityOperation,
  describeOperation,
  describePasswordOperation,
  type Place,
} from './describe.ts'
import type { Content, Described, Parameter } from './described.ts'
import { EXAMPLES, type Example, type OperationId } from './examples.ts'
import { headerComponents, headersNamed } from './headers.ts'
import { introduction } from './introduction.ts'
import { LINKS } from './links.ts'
import { nameSchemas } from './named-schemas.ts'
import { refusalsOf, unreadResponses } from './refusals.ts'

/** The differences between installations. */
export interface OpenApiOptions {
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string
  /** The location of the identity service. Its operations are part of the document if it is below `baseUrl`. */
  readonly identity: string
  /** The path where `request-id` and `serial` are for a gadget's device service; without a trailing slash. */
  readonly deviceServicePath: string
}

/** Returns the document, a plain JSON object. */
export function openApi(options: OpenApiOptions): Readonly<Record<string, unknown>> {
  const { value, schemas } = nameSchemas({
    paths: pathsOf(options),
    responses: unreadResponses,
  })
  const { paths, responses } = value as Readonly<Record<string, unknown>>
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ratafia',
      version: String(API_VERSION),
      description: introduction(options.identity),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseUrl }],
    tags: [
      { name: 'tokens', description: 'Developer tokens' },
      { name: 'ci', description: 'Tokens for CI jobs without stored secrets, in exchange for ID tokens' },
      { name: 'publishers', description: 'The logins of publisher tools and `snap login`' },
      { name: 'identity', description: 'The identity service: discharges for people and programs' },
      { name: 'devices', description: 'Registration, sessions and assertions of devices' },
      { name: 'service', description: 'A description of the service' },
    ],
    paths,
    components: { schemas, responses, headers: headerComponents, securitySchemes },
  }
}

type Paths = Record<string, Record<string, Described>>

function pathsOf({ baseUrl, identity, deviceServicePath }: OpenApiOptions): Paths {
  const paths: Paths = {}
  const hasIdentity = identity.startsWith(`${baseUrl}/`)
  const add = (path: string, method: string, described: Described) => {
    const complete = withExamples(withLinks(described, hasIdentity))
    paths[path] = { ...paths[path], [method.toLowerCase()]: complete }
  }
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    for (const place of placesOf(name, deviceServicePath)) {
      add(place.path, operation.method, describeOperation(place, operation))
    }
  }
  if (hasIdentity) {
    for (const [name, operation] of Object.entries(IDENTITY_OPERATIONS)) {
      const path = identity.slice(baseUrl.length) + operation.path
      add(path, operation.method, describeIdentityOperation(name, operation))
    }
    for (const [name, operation] of Object.entries(PASSWORD_OPERATIONS)) {
      add(operation.path, operation.method, describePasswordOperation(name, operation))
    }
  }
  add('/', 'GET', describeService())
  return paths
}

/** Returns the paths of an operation; `assertion` has one for each type. */
function placesOf(name: string, deviceServicePath: string): readonly Place[] {
  const { path } = OPERATIONS[name as keyof typeof OPERATIONS]
  if (name === 'assertion') {
    return Object.entries(ASSERTION_KEYS).map(([type, key]) => ({
      operationId: `${type.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Assertion`,
      path: path.replace(':type/*', [type, ...key.map((part) => `{${part}}`)].join('/')),
      summary: `Returns the ${type} assertion with this primary key, if this service has it`,
    }))
  }
  const alias = ALIASES.get(name)
  const own = { operationId: name, path }
  if (alias === undefined || `${deviceServicePath}/${alias}` === path) return [own]
  return [
    own,
    {
      operationId: `${name}OfGadget`,
      path: `${deviceServicePath}/${alias}`,
      summary: `The same as \`${name}\`, below the address of a gadget's device service`,
    },
  ]
}

/** Other names of operations, below the address of a gadget's device service. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['requestId', 'request-id'],
  ['registerDevice', 'serial'],
])

/** Adds the links of an operation, except those to an external identity service. */
function withLinks(described: Described, hasIdentity: boolean): Described {
  const links = LINKS[described.operationId as keyof typeof LINKS] ?? {}
  return {
    ...described,
    responses: Object.fromEntries(
      Object.entries(described.responses).map(([status, response]) => {
        const next = Object.entries(links[Number(status)] ?? {}).filter(
          ([, { operationId }]) => hasIdentity || !(operationId in IDENTITY_OPERATIONS),
        )
        return [status, next.length > 0 ? { ...response, links: Object.fromEntries(next) } : response]
      }),
    ),
  }
}

/** Describes `GET /`. */
const describeService = (): Described => ({
  operationId: 'service',
  tags: ['service'],
  summary: 'Describes the service, its endpoints, and the prefixes of its tokens',
  responses: {
    200: {
      description: 'Done',
      headers: headersNamed(['Snap-Store-Version']),
      content: {
        'application/json': { schema: ServiceDescriptionSchema },
        'text/html; charset=utf-8': {
          schema: Type.String({ description: 'A page for people, if `Accept` prefers it' }),
        },
      },
    },
    ...refusalsOf({ method: 'GET', credential: 'none', errors: [] }),
  },
  security: [],
})

/** Adds the examples of the operation by their names. */
function withExamples(described: Described): Described {
  const examples: readonly Example[] = EXAMPLES[described.operationId as OperationId] ?? []
  const { parameters, requestBody, responses } = described
  return {
    ...described,
    ...(parameters
      ? { parameters: parameters.map((one) => withValues(one, examples, parameterOf(one))) }
      : {}),
    ...(requestBody
      ? {
          requestBody: { ...requestBody, content: inEach(requestBody.content, examples, ({ body }) => body) },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const { content } = response
        const answers = examples.filter((example) => example.status === Number(status))
        if (!content) return [status, response]
        return [status, { ...response, content: inEach(content, answers, ({ answer }) => answer) }]
      }),
    ),
  }
}

type Value = (example: Example) => unknown

const parameterOf =
  ({ name }: Parameter): Value =>
  ({ parameters }) =>
    parameters?.[name]

const inEach = (content: Content, examples: readonly Example[], pick: Value): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      withValues(media, examples, (one) => fitting(type, pick(one))),
    ]),
  )

/** An answer that can be JSON or text shows each example only under its own type. */
const fitting = (type: string, value: unknown): unknown =>
  type === 'text/plain' && typeof value !== 'string' ? undefined : value

/** Adds the examples that have a value here. */
function withValues<T extends object>(to: T, examples: readonly Example[], pick: Value): T {
  const named = examples.flatMap((example) => {
    const value = pick(example)
    return value === undefined ? [] : [[example.name, { summary: example.summary, value }] as const]
  })
  return named.length > 0 ? { ...to, examples: Object.fromEntries(named) } : to
}
