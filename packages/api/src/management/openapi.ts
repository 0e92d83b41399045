/** The management API as an OpenAPI 3.1 document, from the same table as its routes. */
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
Administration of the service: roles, devices, and the sessions of tokens.

## Log in

1. \`createManagementRoot\` returns a root macaroon. Discharge it at the identity service that its third-party caveat names,
   as any bakery client does, and send both to \`exchangeManagementRoot\`. The response is a management token.
2. Send it with every request: \`Authorization: Macaroon TOKEN\`. Other tokens and cookies are not accepted.

\`x-permission\` names the permission that an operation requires. \`x-person\` marks operations that agents cannot use, and
\`x-recent-sign-in\` those that require a sign-in of the last 15 minutes.

## Changes

- \`If-Match\` with the \`ETag\` of a record: the change is made only if the record is still the one that you have seen. \`PATCH\` requires it, and otherwise fails with \`version-required\`.
- \`PATCH\` is a JSON Merge Patch (RFC 7396): a field that you leave out stays unchanged.
- \`Idempotency-Key\`: a request that is sent again within a day gets the first response, with \`Idempotent-Replayed: true\`.
- \`?dry_run=true\`: the change is made and rolled back. The response is what it would be, with \`Ratafia-Dry-Run: true\`.
- A change that was already made is not made again: the response is the unchanged record.

## Lists

\`next\` is the \`cursor\` of the next page; null after the last page. A page may be short or even empty and still have \`next\`.

A record of a brand that the caller cannot see is treated as missing.`

/** Returns the document, a plain JSON object. `baseUrl` has no trailing slash. */
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

/** Any type is read as JSON; these are the ones that clients should send. */
const contentOf = (method: ManagementOperation['method'], schema: TSchema) => ({
  ...(method === 'PATCH' ? { 'application/merge-patch+json': { schema } } : {}),
  'application/json': { schema },
})

const filesOf = ({ types }: FileBody) =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

const NOT_MODIFIED = {
  description: 'The record matches `If-None-Match`',
  headers: headersNamed(['Snap-Store-Version', 'ETag']),
}

const SECURITY: Readonly<Record<ManagementOperation['credential'], readonly object[]>> = {
  none: [],
  'management-root': [{ rootAndDischarge: [] }],
  'management-token': [{ managementToken: [] }],
}

/** Returns the first part of the path, such as devices or grants. */
const tagOf = (path: string): string => path.slice(MANAGEMENT_PREFIX.length + 1).split('/')[0] ?? ''

/** Returns all codes that it may answer besides a success. */
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
  '16 to 64 printable characters, such as a UUID. Use the same one when you send a request again',
  '^[!-~]{16,64}$',
)
const PREFER = header('Prefer', '`wait=SECONDS`: how long to wait for the response', '^[ -~]{0,256}$')
const ifMatch = (required: boolean): Parameter => ({
  ...header(
    'If-Match',
    'The `ETag` of the record to change, as you have seen it',
    `^[ -~]{${Number(required)},512}$`,
  ),
  required,
})
const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` of a record that you already have',
  '^[ -~]{0,512}$',
)
