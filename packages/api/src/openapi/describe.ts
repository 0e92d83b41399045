/** Describes operations for OpenAPI. */
import type { TSchema } from 'typebox'
import { CI_OPERATIONS } from '../ci/operations.ts'
import type { IdentityOperation } from '../identity/operations.ts'
import type { Operation } from '../operation.ts'
import type { PasswordOperation } from '../publishers/password-operations.ts'
import { credentialParameters, securityOf } from './credentials.ts'
import type { Described, Parameter } from './described.ts'
import { DEVICE_HEADERS, type HeaderName, headersNamed } from './headers.ts'
import { identityRefusalsOf, loginRefusalsOf, refusalsOf } from './refusals.ts'

/** The parts of an operation that can differ between its paths. */
export interface Place {
  readonly operationId: string
  /** The path, with its parameters in braces. */
  readonly path: string
  readonly summary?: string
}

export function describeOperation({ operationId, path, summary }: Place, operation: Operation): Described {
  const { since, credential, headers, query, body, bodyType, bodyRequired = false } = operation
  const { description, response, responseType, textResponse, accepted } = operation
  return {
    operationId,
    tags: [tagOf(path)],
    summary: summary ?? operation.summary,
    ...(description === undefined ? {} : { description }),
    ...(since === undefined ? {} : { 'x-since-version': since }),
    ...parameters([
      ...pathParameters(path),
      ...parametersIn('query', query),
      ...credentialParameters(credential),
      ...parametersIn('header', headers),
    ]),
    ...(body ? { requestBody: { required: bodyRequired, content: contents(bodyType, body) } } : {}),
    responses: {
      200: {
        description: 'Done',
        headers: headersNamed(['Snap-Store-Version', ...headersOf(operation)]),
        content: {
          ...content(responseType, response),
          ...(textResponse === undefined ? {} : content('text/plain', textResponse)),
        },
      },
      ...(accepted === undefined
        ? {}
        : { 202: { description: accepted, headers: headersNamed(['Snap-Store-Version', 'Cache-Control']) } }),
      ...refusalsOf(operation),
    },
    security: securityOf(credential),
  }
}

const PUBLISHER_PATHS = ['/dev/api/', '/v1/tokens']

const CI_PATHS: ReadonlySet<string> = new Set(Object.values(CI_OPERATIONS).map(({ path }) => path))

function tagOf(path: string): string {
  if (CI_PATHS.has(path)) return 'ci'
  if (PUBLISHER_PATHS.some((one) => path.startsWith(one))) return 'publishers'
  return path.startsWith('/api/v2/') ? 'tokens' : 'devices'
}

export function describePasswordOperation(operationId: string, operation: PasswordOperation): Described {
  const { summary, description, body, response } = operation
  return {
    operationId,
    tags: ['publishers'],
    summary,
    description,
    requestBody: { required: true, content: content(undefined, body) },
    responses: {
      200: {
        description: 'Done',
        headers: headersNamed(['Snap-Store-Version', 'Cache-Control']),
        content: content(undefined, response),
      },
      ...loginRefusalsOf(operation),
    },
    security: [],
  }
}

export function describeIdentityOperation(operationId: string, operation: IdentityOperation): Described {
  const { summary, description, headers, query, form, body, response } = operation
  const sent = form ? content(FORM, form) : body && content(undefined, body)
  return {
    operationId,
    tags: ['identity'],
    summary,
    ...(description === undefined ? {} : { description }),
    ...parameters([...parametersIn('query', query), ...parametersIn('header', headers)]),
    ...(sent ? { requestBody: { required: true, content: sent } } : {}),
    responses: {
      200: {
        description: 'Done',
        headers: headersNamed(['Snap-Store-Version', 'Cache-Control']),
        content: content(undefined, response),
      },
      ...identityRefusalsOf(operation),
    },
    security: [],
  }
}

const FORM = 'application/x-www-form-urlencoded'

/** Returns the headers besides the version. Assertions are public and never change, so they can be cached. */
function headersOf({ path, credential }: Operation): readonly HeaderName[] {
  if (tagOf(path) === 'ci') return ['Cache-Control']
  if (tagOf(path) !== 'devices') return ['Cache-Control', 'Vary']
  if (credential === 'device-session') return ['Cache-Control', 'Vary', ...DEVICE_HEADERS]
  return path.startsWith('/api/') ? ['Cache-Control'] : []
}

const contents = (types: Operation['bodyType'], schema: TSchema) =>
  Object.assign({}, ...[types ?? 'application/json'].flat().map((type) => content(type, schema)))

const content = (type: string | undefined, schema: TSchema) => ({ [type ?? 'application/json']: { schema } })

const parameters = (list: readonly Parameter[]) => (list.length > 0 ? { parameters: list } : {})

const pathParameters = (path: string): readonly Parameter[] =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    // No value of a primary key has a slash, even an encoded one.
    schema: { type: 'string', pattern: '^[^/]+$' },
  }))

/** Returns a parameter for each property of an object's schema, with the property's description. */
function parametersIn(where: 'query' | 'header', schema: TSchema | undefined): readonly Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}
