/** Tests that each refusal by a schema is a sentence: sends every kind of wrong value for every field of the API. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import {
  MANAGEMENT_OPERATIONS,
  MANAGEMENT_PREFIX,
  OPERATIONS,
  PASSWORD_OPERATIONS,
  querySchemaOf,
} from '@ratafia/api/schemas'
import { FULL } from '../../../../tools/test/effort.ts'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import {
  addPerson,
  bearing,
  dischargeFor,
  getRoot,
  logIn,
  presenting,
  testService,
} from '../support/service.ts'

/** The keywords that this test handles. */
interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minimum?: number
}

interface Described {
  readonly path: string
  readonly method?: string
  readonly credential?: string
  readonly body?: object
  readonly bodyType?: unknown
  readonly query?: object
}

const WRONG: readonly unknown[] = [
  ...[null, true, 7, -1, 1.5, 1e12],
  ...['', ' ', 'x', 'é', 'x'.repeat(20_000), '\u0000'],
  ...[{}, { frob: 1 }, [], [null], [[]], [''], ['x', 'x'], [{}], [{}, {}], Array(2_000).fill(1)],
]
const WRONG_TEXTS = ['', ' ', '-1', '99999999999', 'x'.repeat(2_000)]

interface Place {
  readonly name: string
  readonly schema: Schema
  /** Returns a body with this value in place, and with everything else that it needs. */
  readonly put: (wrong: unknown) => unknown
}

/** Returns each place in a value of the schema. */
function* places(schema: Schema, place = ''): Generator<Place> {
  yield { name: place, schema, put: (wrong) => wrong }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const beside = Object.fromEntries(
      (schema.required ?? []).map((one) => [one, sample(schema.properties?.[one] ?? {})]),
    )
    for (const { put, ...inside } of places(field, name)) {
      yield { ...inside, put: (wrong) => ({ ...beside, [name]: put(wrong) }) }
    }
  }
  if (schema.items) {
    for (const { put, ...inside } of places(schema.items, `${place}/0`)) {
      yield { ...inside, put: (wrong) => [put(wrong)] }
    }
  }
  for (const one of schema.anyOf ?? []) yield* [...places(one, place)].slice(1)
}

/** Whether this field was not tested before; `npm run test:full` sends all of them. */
function isNew(seen: Set<string>, name: string, schema: unknown): boolean {
  const key = `${name} ${JSON.stringify(schema)}`
  if (seen.has(key)) return FULL
  seen.add(key)
  return true
}

const TEXTS = ['x', '1', 'acme', 'acme/m1', '2030-01-31T12:00:00Z', crypto.randomUUID(), 'x'.repeat(64)]

function sample({ type, anyOf: [first] = [], ...schema }: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (first && type === undefined) return sample(first)
  if (type === 'object') {
    const { properties = {}, required = [] } = schema
    return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]))
  }
  if (type === 'array') return [sample(schema.items ?? {})]
  if (type === 'integer') return schema.minimum ?? 1
  if (type === 'boolean') return true
  return TEXTS.find((text) => new RegExp(schema.pattern ?? '', 'u').test(text))
}

/** Checks that the message explains the problem to a person who has never seen the code. */
function assertSentence(message: string, of: string): void {
  const shown = `${of}: ${message}`
  assert.match(message, /^[A-Z"][^\n]*[^\s.,?][.?…]$/, shown)
  assert.doesNotMatch(
    message,
    /\b(body|query)\/|must match|must NOT|undefined|null\.0|object Object|at least one of[ .]*$|\s[.,]|is not allowed\.$|does not match/,
    shown,
  )
}

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let credentials: Readonly<Record<string, Readonly<Record<string, string>>>>

  before(async () => {
    const person = await addPerson(service)
    const root = await getRoot(service)
    credentials = {
      token: bearing(await logIn(service, person)),
      'root-and-discharge': presenting(await dischargeFor(service, root, person)),
      'management-token': bearing(await managementToken(service, await addOperator(service))),
    }
  })

  const send = async (
    { path, method = 'POST', credential = 'none' }: Described,
    query: string,
    body?: unknown,
  ) => {
    const address = path.replace('/*', '/x').replaceAll(/:\w+/g, '0')
    const response = await fetch(`${service.baseUrl}${address}${query}`, {
      method,
      headers: { ...credentials[credential], 'content-type': 'application/json', 'if-match': '"x"' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== 400) return undefined
    const [{ code, message }] = JSON.parse(text).error_list
    // A message about the text of an assertion has the store's own words.
    return code === 'invalid-assertion' ? undefined : { message: String(message) }
  }

  const all: readonly (readonly [name: string, operation: Described])[] = [
    ...Object.entries<Described>({ ...OPERATIONS, ...PASSWORD_OPERATIONS }),
    ...Object.entries(MANAGEMENT_OPERATIONS).map(
      ([name, operation]) =>
        [
          name,
          { ...operation, path: MANAGEMENT_PREFIX + operation.path, query: querySchemaOf(operation) },
        ] as const,
    ),
  ]

  suite('bodies', () => {
    const seen = new Set<string>()
    for (const [name, operation] of all) {
      const { body, method = 'POST', bodyType, path } = operation
      if (!body || method === 'GET' || bodyType !== undefined) continue
      // Its body is that of the other exchanges, but it needs another root.
      if (name === 'exchangeManagementRoot') continue
      // A dry run, so that a body that happens to be valid changes nothing.
      const query =
        path.startsWith(MANAGEMENT_PREFIX) && !/root|exchange|explain|test$/.test(path) ? '?dry_run=true' : ''
      test(name, async () => {
        const refused = await send(operation, query, 'x')
        assertSentence(refused?.message ?? assert.fail('a string is accepted as a body'), name)
        for (const place of places(body)) {
          if (!isNew(seen, place.name, place.schema)) continue
          for (const wrong of WRONG) {
            const sent = place.put(wrong)
            const refusal = sent === undefined ? undefined : await send(operation, query, sent)
            if (refusal) assertSentence(refusal.message, JSON.stringify(sent).slice(0, 200))
          }
        }
      })
    }
  })

  suite('queries', () => {
    const seen = new Set<string>()
    for (const [name, operation] of all) {
      const { properties = {} } = (operation.query ?? {}) as Schema
      const names = Object.keys(properties)
      if (names.length === 0) continue
      test(name, async () => {
        for (const parameter of names) {
          if (!isNew(seen, parameter, properties[parameter])) continue
          for (const wrong of WRONG_TEXTS) {
            const value = encodeURIComponent(wrong)
            for (const query of [`?${parameter}=${value}`, `?${parameter}=${value}&${parameter}=${value}`]) {
              const refusal = await send(operation, query, operation.method === 'GET' ? undefined : {})
              if (refusal) assertSentence(refusal.message, query.slice(0, 200))
            }
          }
        }
      })
    }
  })

  test('names null among the types of a field that can be null', async () => {
    const refusal = await send(PASSWORD_OPERATIONS.passwordDischarge, '', {
      ...{ email: 'ada', password: 'x', caveat_id: 'x', otp: 123456 },
    })
    assert.equal(refusal?.message, 'The field "otp" must be a string or null.')
  })

  test('names the missing fields of alternatives', async () => {
    const refusal = await send(OPERATIONS.createToken, '', { packages: [{ series: '16' }] })
    assert.equal(
      refusal?.message,
      'The field "packages/0" needs at least one of the fields "name" and "snap_id".',
    )
  })
})
