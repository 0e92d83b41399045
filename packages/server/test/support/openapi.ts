/** Compares the answers that tests receive with the OpenAPI document. An undocumented answer fails the test. */
import assert from 'node:assert/strict'
import { BAKERY_ERROR_CODES, LOGIN_ERROR_CODES } from '@ratafia/api'
import { managementOpenApi, openApi } from '@ratafia/api/schemas'
import { Compile } from 'typebox/schema'

/** The parts of the document that the checks read. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: object
}

export interface DocumentedOperation {
  readonly operationId: string
  readonly parameters?: readonly DocumentedParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

interface DocumentedParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: object
  readonly examples?: Examples
}

interface DocumentedResponse {
  readonly headers?: object
  readonly content?: Content
  readonly 'x-error-codes'?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema: object; readonly examples?: Examples }>>

/** Examples by name. */
type Examples = Readonly<Record<string, { readonly value: unknown }>>

export interface Exchange {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  /** If it is absent, only the answer is checked. */
  readonly request?: { readonly headers: object; readonly body: string | undefined }
  readonly status: number
  readonly headers: { get(name: string): string | null | undefined }
  readonly text: string
}

const HERE = 'http://service.test'

export const document: Document = withoutReferences(
  JSON.parse(
    JSON.stringify(openApi({ baseUrl: HERE, identity: `${HERE}/identity`, deviceServicePath: '/v1' })),
  ),
)

/** Fails if the answer is not as documented. */
export function assertDocumented(exchange: Exchange): void {
  const { method, path, request, status, headers, text } = exchange
  // Our document does not describe the answers of another device service.
  if (request && 'x-snap-device-service-url' in request.headers) return
  const operation = operationAt(method, path)
  if (!operation) return
  const what = `${method} ${path.slice(0, 100)} answered ${status}`
  const response = operation.responses[status] ?? assert.fail(`${what}, which is not documented`)
  for (const name of ['WWW-Authenticate', 'Retry-After']) {
    if (headers.get(name)) assert.ok(name in (response.headers ?? {}), `${what} with ${name}`)
  }
  if (method !== 'HEAD') assertContent(what, response, headers.get('content-type') ?? undefined, text)
  if (status === 200 && request && !request.body) {
    assert.ok(!operation.requestBody?.required, `${what} without a body`)
  }
}

/** Returns the documented operation of a request. `HEAD` uses that of `GET`. */
function operationAt(method: string, target: string): DocumentedOperation | undefined {
  const [path = ''] = target.split('?', 1)
  const found = TEMPLATES.find(([pattern]) => pattern.test(path))
  const verb = method === 'HEAD' ? 'GET' : method
  // Methods are case-sensitive.
  return verb === verb.toUpperCase() ? found?.[1][verb.toLowerCase()] : undefined
}

export const managementDocument: Document = withoutReferences(
  JSON.parse(JSON.stringify(managementOpenApi({ baseUrl: HERE }))),
)

const TEMPLATES = Object.entries({ ...document.paths, ...managementDocument.paths }).map(
  ([template, methods]) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')
    return [new RegExp(`^${pattern}$`), methods] as const
  },
)

function assertContent(what: string, response: DocumentedResponse, type: string | undefined, text: string) {
  const { content, 'x-error-codes': codes } = response
  if (!content) return assert.equal(text, '', `${what} with a body`)
  const { schema } = content[type ?? ''] ?? assert.fail(`${what} with ${type}`)
  const body = type === 'application/json' ? JSON.parse(text) : text
  assert.ok(matches(schema, body), `${what} with ${text}`)
  if (!codes) return
  // An error of the API on a path of the identity service means that the request did not reach that service.
  const code: string = body.Code ?? body.code ?? body.error_list[0].code
  const ofIdentity = codes.some((one) => one in BAKERY_ERROR_CODES || one in LOGIN_ERROR_CODES)
  const early = body.Code === undefined && body.code === undefined && ofIdentity
  assert.ok(early || codes.includes(code), `${what} with the code ${code}`)
}

const compiled = new Map<object, ReturnType<typeof Compile>>()

function matches(schema: object, value: unknown): boolean {
  const known = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, known)
  return known.Check(value)
}

/** Replaces each reference with its target. The document has no cycles. */
function withoutReferences(root: Document): Document {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve)
    if (typeof node !== 'object' || node === null) return node
    const { $ref } = node as { readonly $ref?: string }
    if ($ref === undefined) {
      return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, resolve(member)]))
    }
    const parts = $ref.slice(2).split('/')
    return resolve(parts.reduce<unknown>((found, part) => (found as Record<string, unknown>)[part], root))
  }
  return { ...root, paths: resolve(root.paths) as Document['paths'] }
}
