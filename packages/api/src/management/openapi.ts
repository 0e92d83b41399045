/** The management API as an OpenAPI 3.1 document, made from the table that its routes are made from. */
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../error-codes.ts'
import type { Described, Parameter } from '../openapi/described.ts'
import { headerComponents, headersNamed } from '../openapi/headers.ts'
import { nameSchemas } from '../openapi/named-schemas.ts'
import { refusalsOfCodes, unreadResponses } from '../openapi/refusals.ts'
import { MANAGEMENT_LINKS } from './links.ts'
import {
  type FileBody,
  isChange,
  type ManagementOperation,
  querySchemaOf,
  takesVersion,
} from './operation.ts'
import { MANAGEMENT_OPERATIONS } from './operations.ts'
import { MANAGEMENT_PREFIX } from './routes.ts'

const DESCRIPTION = `\
Administration of the service: who may do what, devices, and the sessions of tokens.

## Log in

1. \`createManagementRoot\` gives a root macaroon. Discharge it at the identity service that its third-party caveat names,
   as any bakery client does, and send both to \`exchangeManagementRoot\`. The answer is a management token.
2. Send it with every request: \`Authorization: Macaroon TOKEN\`. No other token is taken, and no cookie.

\`x-permission\` names the permission that an operation takes, \`x-person\` what agents may not do, and
\`x-recent-sign-in\` what takes a sign-in of the last 15 minutes.

## Changes

- \`If-Match\` with the \`ETag\` of a record: the change is made only if the record is still the one that was seen. \`PATCH\` asks for it: \`version-required\` without.
- \`PATCH\` is a JSON Merge Patch (RFC 7396): a field that is left out stays as it is.
- \`Idempotency-Key\`: a request that is sent again within a day gets the first answer, with \`Idempotent-Replayed: true\`.
- \`?dry_run=true\`: the change is made and undone. The answer is what it would be, with \`Ratafia-Dry-Run: true\`.
- What is done already is not done again: the answer is the record as it is.

## Lists

\`next\` is the \`cursor\` of the page that follows; null ends the list. A page may be short, and even empty, and go on.

A record of a brand that the caller may not see answers as one that does not exist.`

/** The document, a plain JSON object. `baseUrl` has no trailing slash. */
export function managementOpenApi({
  baseUrl,
}: {
  readonly baseUrl: string
}): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, Described>> = {}
  for (const [name, operation] of Object.entries<ManagementOperation>(MANAGEMENT_OPERATIONS)) {
    const path = `${MANAGEMENT_PREFIX}${operation.path}`.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(name, path, operation) }
  }
  const { value, schemas } = nameSchemas({ paths, responses: unreadResponses })
  const { paths: named, responses } = value as Readonly<Record<string, unknown>>
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ratafia management',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths: named,
    components: {
      schemas,
      responses,
      headers: headerComponents,
      securitySchemes: {
        managementToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Macaroon TOKEN`, where TOKEN is the `macaroon` of the exchange',
        },
        rootAndDischarge: {
          type: 'apiKey',
          in: 'header',
          name: 'Macaroons',
          description: 'Base64 of a JSON list: the root, and its discharge bound to it',
        },
      },
    },
  }
}

function describe(operationId: string, path: string, operation: ManagementOperation): Described {
  const { summary, description, body, bodyRequired = false, response, status = 200, record } = operation
  const { permission, person, recentSignIn, credential, alsoStatus, location, file } = operation
  const links = MANAGEMENT_LINKS[operationId as keyof typeof MANAGEMENT_LINKS]
  const successOf = (code: number) => ({
    description: 'Done',
    headers: headersNamed([
      'Snap-Store-Version',
      'Cache-Control',
      'Vary',
      ...(operation.streams ? (['Content-Disposition', 'Content-Encoding'] as const) : []),
      ...(record ? (['ETag'] as const) : []),
      ...(location ? (['Location', 'Preference-Applied'] as const) : []),
      ...(isChange(operation) ? (['Ratafia-Dry-Run', 'Idempotent-Replayed'] as const) : []),
    ]),
    content: Object.fromEntries(
      (operation.streams ?? ['application/json']).map((type) => [type, { schema: response }]),
    ),
    ...(links?.[code] ? { links: links[code] } : {}),
  })
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(permission === undefined ? {} : { 'x-permission': permission }),
    ...(person ? { 'x-person': true } : {}),
    ...(recentSignIn ? { 'x-recent-sign-in': true } : {}),
    parameters: parametersOf(path, operation),
    ...(body || file
      ? {
          requestBody: {
            required: bodyRequired,
            content: { ...(body && contentOf(operation.method, body)), ...(file && filesOf(file)) },
          },
        }
      : {}),
    responses: {
      [status]: successOf(status),
      ...(alsoStatus === undefined ? {} : { [alsoStatus]: successOf(alsoStatus) }),
      ...(record && operation.method === 'GET' ? { 304: NOT_MODIFIED } : {}),
      ...refusalsOfCodes(codesOf(operation), credential !== 'none'),
    },
    security: SECURITY[credential],
  }
}

/** Any type is read as JSON; these are the ones to send. */
const contentOf = (method: ManagementOperation['method'], schema: TSchema) => ({
  ...(method === 'PATCH' ? { 'application/merge-patch+json': { schema } } : {}),
  'application/json': { schema },
})

const filesOf = ({ types }: FileBody) =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

const NOT_MODIFIED = {
  description: 'The record is the one of `If-None-Match`',
  headers: headersNamed(['Snap-Store-Version', 'ETag']),
}

const SECURITY: Readonly<Record<ManagementOperation['credential'], readonly object[]>> = {
  none: [],
  'management-root': [{ rootAndDischarge: [] }],
  'management-token': [{ managementToken: [] }],
}

/** Devices, grants, …: the first part of the path. */
const tagOf = (path: string): string => path.slice(MANAGEMENT_PREFIX.length + 1).split('/')[0] ?? ''

/** All that it may answer besides a success. */
function codesOf(operation: ManagementOperation): readonly ErrorCode[] {
  const { credential, permission, person, recentSignIn, method, record } = operation
  const codes: readonly ErrorCode[] = [
    'invalid-request',
    'invalid-field',
    'not-found',
    'request-too-large',
    'too-many-requests',
    'service-unavailable',
    ...operation.errors,
    ...(credential === 'none'
      ? []
      : ([
          'limit-exceeded',
          'macaroon-authorization-required',
          'macaroon-caveat-unknown',
          'account-unknown',
        ] as const)),
    ...(permission === undefined && !isChange(operation) ? [] : (['permission-denied'] as const)),
    ...(person ? (['person-required'] as const) : []),
    ...(recentSignIn ? (['recent-sign-in-required'] as const) : []),
    ...(isChange(operation) ? (['idempotency-key-busy', 'idempotency-key-reused'] as const) : []),
    ...(isChange(operation) && record ? (['version-mismatch'] as const) : []),
    ...(takesVersion(operation) ? (['version-required'] as const) : []),
  ]
  return method === 'GET'
    ? [...new Set(codes)].filter((code) => code !== 'request-too-large')
    : [...new Set(codes)]
}

function parametersOf(path: string, operation: ManagementOperation): readonly Parameter[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string', pattern: '^[^/]+$' },
  }))
  return [
    ...inPath,
    ...queryOf(operation),
    ...(isChange(operation) ? [IDEMPOTENCY_KEY] : []),
    ...(operation.alsoStatus === undefined ? [] : [PREFER]),
    ...(isChange(operation) && operation.record ? [ifMatch(takesVersion(operation))] : []),
    ...(operation.method === 'GET' && operation.record ? [IF_NONE_MATCH] : []),
  ]
}

function queryOf(operation: ManagementOperation): readonly Parameter[] {
  const { properties } = querySchemaOf(operation) as {
    readonly properties: Readonly<Record<string, { readonly description?: string }>>
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}

const header = (name: string, description: string, pattern: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', pattern },
})

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  '16 to 64 printable characters, such as a UUID: the same for a request that is sent again',
  '^[!-~]{16,64}$',
)
const PREFER = header('Prefer', '`wait=SECONDS`: how long the answer may take', '^[ -~]{0,256}$')
const ifMatch = (required: boolean): Parameter => ({
  ...header(
    'If-Match',
    'The `ETag` of the record that the change is about',
    `^[ -~]{${Number(required)},512}$`,
  ),
  required,
})
const IF_NONE_MATCH = header('If-None-Match', 'The `ETag` of a record that the caller has', '^[ -~]{0,512}$')
