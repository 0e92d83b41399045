/** Which texts are times: one table for every field of the API that takes one. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { MANAGEMENT_OPERATIONS, MANAGEMENT_PREFIX, OPERATIONS, querySchemaOf } from '@ratafia/api/schemas'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import { bearing, call, testService } from '../support/service.ts'

/** `tokens`: what `docs/tokens.md` says of `expires`. `management`: RFC 3339 in UTC, with `Z`. */
const TEXTS: Readonly<Record<string, { readonly tokens: boolean; readonly management: boolean }>> = {
  '2099-01-01T00:00:00Z': { tokens: true, management: true },
  '2099-01-01T00:00:00.5Z': { tokens: true, management: true },
  '2099-01-01T00:00:00.123456Z': { tokens: true, management: true },
  '2099-01-01T00:00:00.123456789Z': { tokens: true, management: false },
  '2099-01-01T00:00:00+00:00': { tokens: true, management: false },
  '2099-01-01T00:00:00-00:00': { tokens: true, management: false },
  '2099-01-01T00:00:00': { tokens: true, management: false },
  '2099-01-01T00:00Z': { tokens: true, management: false },
  '2099-01-01t00:00:00z': { tokens: true, management: false },
  '2099-01-01 00:00:00Z': { tokens: true, management: false },
  '2098-12-31T23:59:60Z': { tokens: true, management: false },
  '2099-01-01T00:00:00+0000': { tokens: false, management: false },
  '2099-01-01T00:00:00-0000': { tokens: false, management: false },
  '2099-01-01T00:00:00+00': { tokens: false, management: false },
  '2099-01-01T00:00:00,5Z': { tokens: false, management: false },
  '2099-01-01T00:00:00.Z': { tokens: false, management: false },
  '2099-01-01T00:00:00+01:00': { tokens: false, management: false },
  '2099-01-01T00:00:00+0100': { tokens: false, management: false },
  '2099-01-01': { tokens: false, management: false },
  '20990101T000000Z': { tokens: false, management: false },
  '2099-01-01T00Z': { tokens: false, management: false },
  '2099-01-01T24:00:00Z': { tokens: false, management: false },
  '2099-02-30T00:00:00Z': { tokens: false, management: false },
  '2099-13-01T00:00:00Z': { tokens: false, management: false },
  '2099-W01-1': { tokens: false, management: false },
  '2099-001': { tokens: false, management: false },
  '4070908800': { tokens: false, management: false },
  'Thu, 01 Jan 2099 00:00:00 GMT': { tokens: false, management: false },
  ' 2099-01-01T00:00:00Z': { tokens: false, management: false },
  '2099-01-01T00:00:00Z ': { tokens: false, management: false },
  '+002099-01-01T00:00:00Z': { tokens: false, management: false },
  '２０９９-01-01T00:00:00Z': { tokens: false, management: false },
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
}

const NO_TIME =
  /^The (field|parameter) "[a-z_]+" is not (an instant in UTC, such as|an RFC 3339 date|in UTC\.)|" is a date or time that does not exist\.$/

/** What the operation needs beside the time. */
const BESIDE: Readonly<Record<string, object>> = {
  '/grants': { account: 'x', role: 'operator' },
  '/models/0/0/api-keys': { label: 'x' },
}

/** The names of fields that take a time. */
const timesIn = (schema: object): readonly string[] =>
  Object.entries((schema as Schema).properties ?? {})
    .filter(([, field]) =>
      [field, ...(field.anyOf ?? [])].some(({ description = '' }) => description.startsWith('RFC 3339')),
    )
    .map(([name]) => name)

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let manager: Record<string, string>

  before(async () => {
    manager = bearing(await managementToken(service, await addOperator(service)))
  })

  /** Whether the answer is about this field. */
  const isRefused = async (
    field: string,
    method: string,
    path: string,
    options: { readonly headers?: Record<string, string>; readonly body?: unknown } = {},
  ): Promise<boolean> => {
    const { status, body } = await call(service, method, path, options)
    if (status !== 400) return false
    const [{ extra, message }] = body.error_list
    return extra.field === field && NO_TIME.test(message)
  }

  suite('the tokens API', () => {
    const paths = Object.values<{ readonly path: string; readonly body?: object }>(OPERATIONS)
      .filter(({ body }) => timesIn(body ?? {}).length > 0)
      .map(({ path }) => path)
    test('its fields', () => assert.deepEqual(paths, ['/api/v2/tokens', '/dev/api/acl/']))
    for (const [text, { tokens: isTaken }] of Object.entries(TEXTS)) {
      test(`${JSON.stringify(text)} is ${isTaken ? 'taken' : 'refused'}`, async () => {
        for (const path of paths) {
          const body = { permissions: ['package_access'], expires: text }
          assert.equal(await isRefused('body/expires', 'POST', path, { body }), !isTaken, path)
        }
      })
    }
  })

  suite('the management API', () => {
    const answering = Object.values(MANAGEMENT_OPERATIONS).filter((operation) => !('streams' in operation))
    const operations = answering.map((operation) => ({
      ...{ method: operation.method, path: operation.path.replaceAll(/:\w+/g, '0') },
      inQuery: timesIn(querySchemaOf(operation)),
      inBody: 'body' in operation ? timesIn(operation.body) : [],
    }))
    const fields = operations.flatMap(({ inQuery, inBody }) => [...inQuery, ...inBody])
    test('its fields', () => assert.ok(fields.length >= 12, String(fields)))
    for (const [text, { management: isTaken }] of Object.entries(TEXTS)) {
      test(`${JSON.stringify(text)} is ${isTaken ? 'taken' : 'refused'}`, async () => {
        for (const { method, path, inQuery, inBody } of operations) {
          for (const name of inQuery) {
            const address = `${MANAGEMENT_PREFIX}${path}?${name}=${encodeURIComponent(text)}`
            const refused = await isRefused(`query/${name}`, method, address, { headers: manager })
            assert.equal(refused, !isTaken, address)
          }
          for (const name of inBody) {
            const address = `${MANAGEMENT_PREFIX}${path}?dry_run=true`
            const body = { ...BESIDE[path], [name]: text }
            const refused = await isRefused(`body/${name}`, method, address, { headers: manager, body })
            // A text that looks like a time reaches the operation, and there may be no such record.
            const looks = /^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}([.][0-9]{1,6})?Z$/.test(text)
            if (!looks) assert.ok(refused, `${address} ${name}`)
            else if (isTaken) assert.ok(!refused, `${address} ${name}`)
          }
        }
      })
    }
  })
})
