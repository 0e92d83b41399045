/** Tests that the schemas of requests and answers are JSON Schema: the service does not check this at each start. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  IDENTITY_OPERATIONS,
  MANAGEMENT_OPERATIONS,
  OPERATIONS,
  type Operation,
  querySchemaOf,
} from '@ratafia/api/schemas'
import { Ajv } from 'ajv'

type Schemas = Pick<Partial<Operation>, 'query' | 'headers' | 'body' | 'response'>

const ajv = new Ajv()

for (const [name, operation] of Object.entries<Schemas>({ ...OPERATIONS, ...IDENTITY_OPERATIONS })) {
  test(`the schemas of ${name} are valid`, () => {
    const { query, headers, body, response } = operation
    const schemas = [query, headers, body, response].filter((schema) => schema !== undefined)
    for (const schema of schemas) assert.ok(ajv.validateSchema(schema), ajv.errorsText())
  })
}

test('a management operation always has the same schema object, so it is compiled only once', () => {
  const operations = Object.values(MANAGEMENT_OPERATIONS)
  for (const operation of operations) assert.equal(querySchemaOf(operation), querySchemaOf(operation))
  assert.equal(new Set(operations.map(querySchemaOf)).size, operations.length)
})
