import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi } from './openapi.ts'
import { OPERATIONS } from './operations.ts'

// What a program that reads the document sees: plain JSON.
const document = JSON.parse(JSON.stringify(openApi('https://store.example.com')))

const templateOf = (path: string) => path.replace(':type', '{type}').replace('*', '{key}')

test('a path with parameters names them, and assertions have their media type', () => {
  const { get } = document.paths['/v2/assertions/{type}/{key}']
  assert.deepEqual(
    get.parameters.map(({ name, in: where }: { name: string; in: string }) => [name, where]),
    [
      ['type', 'path'],
      ['key', 'path'],
      ['max-format', 'query'],
    ],
  )
  assert.deepEqual(Object.keys(get.responses[200].content), ['application/x.ubuntu.assertion'])
})

test('every operation is described by the schemas that validate it', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const operations = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${templateOf(path)}`)
  assert.deepEqual(described.sort(), operations.sort())
  const create = document.paths['/api/v2/tokens'].post
  const { properties, additionalProperties } = create.requestBody.content['application/json'].schema
  assert.equal(additionalProperties, false)
  assert.deepEqual(Object.keys(properties).sort(), [
    'channels',
    'description',
    'expires',
    'packages',
    'permissions',
    'store_ids',
  ])
  assert.equal(properties.permissions.items.enum.length, 14)
})

test('an operation that answers 401 says how to authenticate, and no other does', () => {
  for (const { method, path, refusals } of Object.values(OPERATIONS)) {
    const { security, responses } = document.paths[templateOf(path)][method.toLowerCase()]
    assert.equal(security.length > 0, (refusals as readonly number[]).includes(401), path)
    const accepted = path.endsWith('/devices') ? ['202'] : []
    assert.deepEqual(Object.keys(responses), ['200', ...accepted, ...refusals.map(String)])
  }
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  assert.ok(references.length > 0)
  for (const path of references) {
    assert.ok(
      path.split('/').reduce((node, key) => node?.[key], document),
      path,
    )
  }
})
