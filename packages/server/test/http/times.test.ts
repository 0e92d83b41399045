/**
 * Tests which strings are times: a table for all time fields of the tokens API. `management/instants.test.ts`
 * has the other.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { OPERATIONS } from '@ratafia/api/schemas'
import { oneDatabase } from '../support/databases.ts'
import { call, testService } from '../support/service.ts'

/** Whether `expires` accepts each string according to `docs/tokens.md`. */
const TEXTS: Readonly<Record<string, boolean>> = {
  '2099-01-01T00:00:00Z': true,
  '2099-01-01T00:00:00.5Z': true,
  '2099-01-01T00:00:00.123456Z': true,
  '2099-01-01T00:00:00.123456789Z': true,
  '2099-01-01T00:00:00+00:00': true,
  '2099-01-01T00:00:00-00:00': true,
  '2099-01-01T00:00:00': true,
  '2099-01-01T00:00Z': true,
  '2099-01-01t00:00:00z': true,
  '2099-01-01 00:00:00Z': true,
  '2098-12-31T23:59:60Z': true,
  '2099-01-01T00:00:00+0000': false,
  '2099-01-01T00:00:00-0000': false,
  '2099-01-01T00:00:00+00': false,
  '2099-01-01T00:00:00,5Z': false,
  '2099-01-01T00:00:00.Z': false,
  '2099-01-01T00:00:00+01:00': false,
  '2099-01-01T00:00:00+0100': false,
  '2099-01-01': false,
  '20990101T000000Z': false,
  '2099-01-01T00Z': false,
  '2099-01-01T24:00:00Z': false,
  '2099-02-30T00:00:00Z': false,
  '2099-13-01T00:00:00Z': false,
  '2099-W01-1': false,
  '2099-001': false,
  '4070908800': false,
  'Thu, 01 Jan 2099 00:00:00 GMT': false,
  ' 2099-01-01T00:00:00Z': false,
  '2099-01-01T00:00:00Z ': false,
  '+002099-01-01T00:00:00Z': false,
  '２０９９-01-01T00:00:00Z': false,
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
}

const NO_TIME =
  /^The (field|parameter) "[a-z_]+" is not (an instant in UTC, such as|an RFC 3339 date|in UTC\.)|" is a date or time that does not exist\.$/

/** Returns the names of fields that accept a time. */
const timesIn = (schema: object): readonly string[] =>
  Object.entries((schema as Schema).properties ?? {})
    .filter(([, field]) =>
      [field, ...(field.anyOf ?? [])].some(({ description = '' }) => description.startsWith('RFC 3339')),
    )
    .map(([name]) => name)

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  /** Whether the answer refuses this field. */
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
    test('has these fields', () => assert.deepEqual(paths, ['/api/v2/tokens', '/dev/api/acl/']))
    for (const [text, isTaken] of Object.entries(TEXTS)) {
      test(`${isTaken ? 'accepts' : 'refuses'} ${JSON.stringify(text)}`, async () => {
        for (const path of paths) {
          const body = { permissions: ['package_access'], expires: text }
          assert.equal(await isRefused('body/expires', 'POST', path, { body }), !isTaken, path)
        }
      })
    }
  })
})
