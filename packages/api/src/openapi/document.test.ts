import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { ERROR_CODES } from '../error-codes.ts'
import { IDENTITY_OPERATIONS } from '../identity/operations.ts'
import { managementOpenApi } from '../management/openapi.ts'
import { ASSERTION_KEYS, OPERATIONS } from '../operations.ts'
import { PASSWORD_OPERATIONS } from '../publishers/password-operations.ts'
import { openApi } from './document.ts'
import { nameSchemas } from './named-schemas.ts'

const PLACE = {
  baseUrl: 'https://store.example.com',
  identity: 'https://store.example.com/identity',
  deviceServicePath: '/v1',
}

// The document as a reading program sees it: plain JSON.
const read = (options = PLACE) => JSON.parse(JSON.stringify(openApi(options)))
const document = read()

interface Described {
  readonly path: string
  readonly method: string
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into it
  readonly operation: any
}

const operationsOf = ({ paths }: { paths: Readonly<Record<string, object>> }): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
const operations = operationsOf(document)
const operation = (id: string) =>
  operations.find((one) => one.operation.operationId === id)?.operation ?? assert.fail(`no operation ${id}`)

test('has every operation once under each of its paths', () => {
  const ids = operations.map((one) => one.operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    ids.sort(),
    [
      ...Object.keys(OPERATIONS).filter((name) => name !== 'assertion'),
      ...['accountAssertion', 'accountKeyAssertion', 'modelAssertion', 'serialAssertion'],
      ...['requestIdOfGadget', 'registerDeviceOfGadget'],
      ...Object.keys(IDENTITY_OPERATIONS),
      ...Object.keys(PASSWORD_OPERATIONS),
      'service',
    ].sort(),
  )
  assert.deepEqual(Object.keys(document.paths['/v1/serial']), ['post'])
})

test('an assertion has a path with a parameter for each part of its key', () => {
  for (const [type, key] of Object.entries(ASSERTION_KEYS)) {
    const path = `/v2/assertions/${type}/${key.map((part) => `{${part}}`).join('/')}`
    const { parameters, responses } = document.paths[path].get
    assert.deepEqual(
      parameters.map(({ name, in: where }: { name: string; in: string }) => [name, where]),
      [...key.map((part) => [part, 'path']), ['max-format', 'query']],
    )
    assert.deepEqual(Object.keys(responses[200].content), ['application/x.ubuntu.assertion'])
  }
})

test('describes requests by the schemas that check them, and whether the body is required', () => {
  const { properties, additionalProperties } = document.components.schemas.CreateTokenRequest
  assert.equal(additionalProperties, false)
  assert.deepEqual(Object.keys(properties), Object.keys(OPERATIONS.createToken.body.properties))
  assert.equal(document.components.schemas.Permission.enum.length, 14)
  const needed = operations.filter((one) => one.operation.requestBody?.required)
  assert.deepEqual(needed.map((one) => one.operation.operationId).sort(), [
    'discharge',
    'exchangeIdToken',
    'gatewayRevoke',
    'offlineExchange',
    'openSession',
    'passwordDischarge',
    'redeemCode',
    'refreshDischarge',
    'registerDevice',
    'registerDeviceOfGadget',
    'revokeToken',
    'verifyAuthorization',
  ])
})

test('no operation has a parameter twice', () => {
  const management = JSON.parse(JSON.stringify(managementOpenApi(PLACE)))
  for (const { path, operation } of [...operations, ...operationsOf(management)]) {
    const parameters: readonly { name: string; in: string }[] = operation.parameters ?? []
    const names = parameters.map((one) => `${one.in} ${one.name}`)
    assert.deepEqual(names, [...new Set(names)], `${operation.operationId} (${path})`)
  }
})

test('exactly the operations that answer 401 describe how to authenticate', () => {
  // The identity service refuses logins with a 401, and the credential of one operation is in its body.
  const others = new Set(['offlineExchange', ...Object.keys(PASSWORD_OPERATIONS)])
  for (const { path, operation } of operations) {
    if (path.startsWith('/identity/') || others.has(operation.operationId)) continue
    assert.equal(operation.security.length > 0, '401' in operation.responses, path)
  }
})

test('lists every error code at an operation of one of the documents, or in an introduction', () => {
  const management = managementOpenApi(PLACE)
  const introductions = JSON.stringify([document.info, management['info']])
  const listed = new Set(
    JSON.stringify([document, management])
      .match(/(?<="x-error-codes":)\[[^\]]*\]/g)
      ?.flatMap((list) => JSON.parse(list)),
  )
  for (const code of Object.keys(ERROR_CODES)) {
    assert.ok(listed.has(code) || introductions.includes(`\`${code}\``), code)
  }
})

test("a limit on calls is a 429, and a 503 on snapd's paths", () => {
  assert.ok(operation('createToken').responses[429])
  for (const id of ['nonces', 'requestIdOfGadget', 'openSession', 'registerDevice', 'serialAssertion']) {
    const { responses } = operation(id)
    assert.equal(responses[429], undefined, id)
    assert.match(responses[503].description, /too many requests/, id)
  }
})

test('operations that are not in the specification have no version of it', () => {
  const since = (id: string) => operation(id)['x-since-version']
  assert.deepEqual([since('revokeToken'), since('nonces'), since('deviceSession')], [32, 1, undefined])
  assert.equal(since('accountAssertion'), undefined)
})

test('every reference and link has a target, and links set existing parameters', () => {
  for (const options of [PLACE, { ...PLACE, identity: 'https://id.example.com' }]) {
    const document = read(options)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    assert.ok(references.length > 0)
    for (const [, path = ''] of references) {
      assert.ok(
        path.split('/').reduce((node, key) => node?.[key], document),
        path,
      )
    }
    const all = operationsOf(document)
    for (const { operation } of all) {
      for (const { links = {} } of Object.values<{ links?: Record<string, Link> }>(operation.responses)) {
        for (const { operationId, parameters = {} } of Object.values(links)) {
          const target = all.find((one) => one.operation.operationId === operationId)?.operation
          assert.ok(target, operationId)
          const names = (target.parameters ?? []).map(
            ({ name, in: where }: { name: string; in: string }) => `${where}.${name}`,
          )
          for (const name of Object.keys(parameters)) assert.ok(names.includes(name), name)
        }
      }
    }
  }
})

interface Link {
  readonly operationId: string
  readonly parameters?: object
}

test('names an external identity service and omits its paths', () => {
  const { paths, info } = read({ ...PLACE, identity: 'https://id.example.com' })
  assert.ok(Object.keys(paths).every((path) => !path.includes('discharge')))
  assert.match(info.description, /https:\/\/id\.example\.com\./)
})

test('a device service below the path of the store adds no second path', () => {
  const { paths } = read({ ...PLACE, deviceServicePath: '/api/v1/snaps/auth' })
  assert.equal(paths['/api/v1/snaps/auth/request-id'].post.operationId, 'requestId')
  assert.equal(paths['/api/v1/snaps/auth/serial'].post.operationId, 'registerDeviceOfGadget')
})

test('requires a name or an id for a package, in a form that client generators do not treat as a type', () => {
  const { not, anyOf, properties } = document.components.schemas.PackageReference
  assert.deepEqual(not, { allOf: [{ not: { required: ['name'] } }, { not: { required: ['snap_id'] } }] })
  assert.equal(anyOf, undefined)
  assert.deepEqual(Object.keys(properties), ['name', 'snap_id'])
})

test('refuses two schemas with the same name', () => {
  const [text, number] = [Type.String({ title: 'A' }), Type.Number({ title: 'A' })]
  assert.deepEqual(nameSchemas([text, text]).schemas, { A: { type: 'string', title: 'A' } })
  assert.throws(() => nameSchemas([text, number]), TypeError)
})
