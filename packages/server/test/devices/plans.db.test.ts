/**
 * Guarantee: every look-up of a device's request uses an index, and reads one shard: every statement names
 * the bucket. The plans are PostgreSQL's own; with RATAFIA_TEST_PARTITIONS, they are those of divided tables.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { encode, type PrivateKey } from '@ratafia/assertions'
import { CompiledQuery, sql } from 'kysely'
import type { Database } from '../../src/database/index.ts'
import { allowRemodel } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  addAcmeModel,
  freshDeviceKeys,
  getRequestId,
  openSession,
  postDevices,
  presentingSession,
  type RegisterInput,
  register,
  registered,
  serialRequest,
  sessionBody,
  sessionOf,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { remodelHeaders } from '../support/own-devices.ts'
import {
  isAbout,
  recordStatements,
  type Statement,
  stopStoringActivity,
} from '../support/recorded-statements.ts'
import { call, type TestService, testService } from '../support/service.ts'
import { BUCKETED, SHARDED } from '../support/sharded-tables.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }]
}

interface Devices {
  readonly service: TestService
  readonly of: RegisterInput & { readonly model: string; readonly modelText: Uint8Array }
  readonly newKey: () => PrivateKey
}

/** One with devices in PostgreSQL's statistics, and one whose devices were all added later. */
const MODELS = ['known', 'not-known-yet']
const ROWS = 20_000

/**
 * Adds enough rows of a model for PostgreSQL to look for an index, with ids that increase over time. `after`
 * is the number of earlier rows.
 */
function fill(model: string, after: number): readonly string[] {
  const name = `'${ACME.brandId}', '${model}'`
  const others = `select to_char(n, 'FM00000000') as id, n % 1024 as bucket, n, decode(md5(n::text), 'hex') as hash
    from generate_series(${after + 1}, ${after + ROWS}) as n`
  return [
    `insert into device (id, bucket, brand_id, model, serial, device_key_id, status, revision, origin, registered_at)
      select id, bucket, ${name}, 'F-' || n, md5(id), 'active', 0, 'import', n from (${others})`,
    `insert into serial_holder (brand_id, model, serial, bucket, device_id, revision)
      select ${name}, 'F-' || n, bucket, id, 0 from (${others})`,
    `insert into serial_assertion
        (brand_id, model, serial, revision, bucket, device_id, encoded, authority_id, signing_key_id, stored_at)
      select ${name}, 'F-' || n, 0, bucket, id, hash, '', '', n from (${others})`,
    `insert into device_registration
        (request_id_hash, bucket, device_id, request_hash, registered_at, address, user_agent)
      select hash, bucket, id, hash, n, '', '' from (${others})`,
    `insert into used_request_id (request_id_hash, used_at) select hash, n from (${others})`,
    `insert into device_session (session_id, bucket, device_id, chain_id, nonce_hash, request_hash, macaroon_id,
        opened_at, expires_at, address, user_agent)
      select id, bucket, id, id, hash, hash, hash, n, n, '', '' from (${others})`,
    `insert into clone_evidence (device_id, bucket, kind, subject, first_seen_at, last_seen_at, times, details)
      select id, bucket, 'second-key', 'other', n, n, 1, '{}' from (${others})`,
    `insert into device_activity (device_id, bucket, brand_id, last_seen_at, evidence_at)
      select id, bucket, '${ACME.brandId}', n, n from (${others})`,
  ]
}

interface Answered {
  readonly status: number
}

interface Planned {
  /** Returns the request. */
  readonly prepare: (devices: Devices) => Promise<() => Promise<Answered>>
  /** The first word of each statement about devices, and `table: index` of each look-up, in one shard each. */
  readonly planned: readonly string[]
}

const STORED = ['insert', 'insert', 'insert', 'insert', 'insert']
const REQUEST = 'select device_registration: device_registration_request_id_hash_bucket_key'
const KEY = 'select device: device_key'
const SERIAL = 'select serial_holder: serial_holder_brand_id_model_serial_key'
const DEVICE = 'select device: device_id_bucket_key'
const ASSERTION = 'select serial_assertion: serial_assertion_device'
const COMPARED = [
  'select device: device_key',
  'device_session: device_session_chain',
  'device_session: device_session_device',
  'device_session: device_session_session_id_bucket_key',
].join(' ')
const OPENED = 'insert device: device_id_bucket_key'
const SEEN = 'with device: device_id_bucket_key'

/** The requests of a device. */
const REQUESTS: Readonly<Record<string, Planned>> = {
  'a registration': {
    planned: [REQUEST, KEY, SERIAL, ...STORED],
    prepare: async ({ service, of, newKey }) => {
      const input = { ...of, key: newKey(), serial: 'P-1' }
      return () => register(service, input)
    },
  },
  'a repeated registration': {
    planned: [REQUEST, DEVICE, ASSERTION],
    prepare: async ({ service, of, newKey }) => {
      const request = serialRequest({
        requestId: await getRequestId(service),
        model: of.model,
        key: newKey(),
      })
      const ask = () => postDevices(service, streamOf(request, of.modelText))
      assert.equal((await ask()).status, 200)
      return ask
    },
  },
  'a registration of a known key': {
    planned: [REQUEST, KEY, ASSERTION, 'insert', 'insert'],
    prepare: async ({ service, of, newKey }) => {
      const input = { ...of, key: newKey() }
      await registered(service, input)
      return () => register(service, input)
    },
  },
  'another key for a serial': {
    planned: [
      ...[REQUEST, KEY, SERIAL, DEVICE],
      `with clone_evidence: clone_evidence_device_id_kind_subject_bucket_key device: device_id_bucket_key`,
      'update device: device_status',
      'update serial_holder: serial_holder_brand_id_model_serial_key',
      ...STORED,
    ],
    prepare: async ({ service, of, newKey }) => {
      const input = { ...of, serial: 'P-2' }
      await registered(service, { ...input, key: newKey() })
      const key = newKey()
      return () => register(service, { ...input, key })
    },
  },
  'a poll of a device that waits for approval': {
    planned: [REQUEST, DEVICE],
    prepare: async ({ service, of, newKey }) => {
      const model = `${of.model}-waited-for`
      const policy = { registration: 'approval' } as const
      const modelText = await addAcmeModel(service.installation, model, { policy })
      const request = serialRequest({ requestId: await getRequestId(service), model, key: newKey() })
      const ask = () => postDevices(service, streamOf(request, modelText))
      assert.equal((await ask()).status, 202)
      return ask
    },
  },
  'a remodel': {
    planned: [
      ...[REQUEST, KEY, SERIAL, KEY, KEY, ASSERTION],
      ...['insert', 'insert', 'insert', 'insert', KEY, 'insert'],
    ],
    prepare: async ({ service, of, newKey }) => {
      const model = `${of.model}-remodelled`
      const modelText = await addAcmeModel(service.installation, model)
      const name = (of: string) => ({ brandId: ACME.brandId, model: of })
      await allowRemodel({ from: name(of.model), to: name(model) }, service.installation)
      const known = { key: newKey(), serial: 'P-4' }
      const original = encode(await registered(service, { ...of, ...known }))
      const headers = remodelHeaders(name(of.model), known.serial)
      return () => register(service, { ...known, model, modelText, original, headers })
    },
  },
  'a session': {
    planned: [COMPARED, OPENED],
    prepare: async ({ service, of, newKey }) => {
      const key = newKey()
      const serial = await registered(service, { ...of, key })
      return () => openSession(service, { key, serial, modelText: of.modelText })
    },
  },
  'a refresh': {
    planned: [COMPARED, OPENED],
    prepare: async ({ service, of, newKey }) => {
      const key = newKey()
      const serial = await registered(service, { ...of, key })
      const previous = await sessionOf(service, { key, serial, modelText: of.modelText })
      return () => openSession(service, { key, serial, modelText: of.modelText, previous })
    },
  },
  'a repeated session request': {
    planned: [
      COMPARED,
      SEEN,
      'select device: device_id_bucket_key device_session: device_session_nonce_hash_bucket_key',
    ],
    prepare: async ({ service, of, newKey }) => {
      const key = newKey()
      const serial = await registered(service, { ...of, key })
      const body = await sessionBody(service, { key, serial, modelText: of.modelText })
      const ask = () => call(service, 'POST', `${AUTH}/sessions`, { body })
      assert.equal((await ask()).status, 200)
      return ask
    },
  },
  'a clone': {
    planned: [COMPARED, 'select clone_evidence: clone_evidence_device_id_kind_subject_bucket_key', SEEN],
    prepare: async ({ service, of, newKey }) => {
      const key = newKey()
      const serial = await registered(service, { ...of, key })
      const device = { key, serial, modelText: of.modelText }
      const previous = await sessionOf(service, device)
      await sessionOf(service, device)
      return () => openSession(service, { ...device, previous })
    },
  },
  'a verification': {
    planned: ['select device: device_id_bucket_key device_session: device_session_session_id_bucket_key'],
    prepare: async ({ service, of, newKey }) => {
      const key = newKey()
      const serial = await registered(service, { ...of, key })
      const headers = presentingSession(await sessionOf(service, { key, serial, modelText: of.modelText }))
      return () => call(service, 'GET', '/device-session', { headers })
    },
  },
  'a serial assertion': {
    planned: [SERIAL, DEVICE, ASSERTION],
    prepare: async ({ service, of, newKey }) => {
      await registered(service, { ...of, key: newKey(), serial: 'P-3' })
      return () => fetch(`${service.baseUrl}/v2/assertions/serial/${ACME.brandId}/${of.model}/P-3`)
    },
  },
}

eachDatabase((kind, open, fresh) => {
  if (kind === 'sqlite') return
  const service = testService(fresh)
  const devices = new Map<string, Devices>()
  let query: Database['query']
  /** Maps partitions to their tables, and the partitions' indexes to those of the tables. */
  const wholes = new Map<string, string>()
  const wholeOf = (part: string): string => wholes.get(part) ?? part

  before(async () => {
    stopStoringActivity(service)
    await withAcme(service.installation)
    const keys = await freshDeviceKeys(40)
    let used = 0
    const newKey = () => keys[used++] ?? assert.fail('more devices than keys')
    const database = await open()
    query = database.query
    for (const [at, model] of MODELS.entries()) {
      const modelText = await addAcmeModel(service.installation, model, {
        policy: { takenSerial: 'reissue' },
      })
      devices.set(model, { service, of: { model, modelText }, newKey })
      await database.unhurried(async (filling) => {
        // The rows are consistent. Checking that for each of them would take seconds on partitioned tables.
        await sql`set session_replication_role = replica`.execute(filling)
        for (const statement of fill(model, at * ROWS)) await sql.raw(statement).execute(filling)
      })
      if (at === 0) await sql`analyze`.execute(query)
    }
    const { rows } = await sql<{ part: string; parent: string }>`
      select inhrelid::regclass::text as part, inhparent::regclass::text as parent from pg_inherits
    `.execute(query)
    for (const { part, parent } of rows) wholes.set(part, parent)
  })

  /** Returns `table: index` of each executed look-up, and the tables or partitions that it read. */
  async function plannedOf({ text, values }: Statement) {
    const explain = `explain (analyze, timing off, summary off, format json) ${text}`
    let plan: PlanNode | undefined
    const explaining = query.transaction().execute(async (transaction) => {
      const { rows } = await transaction.executeQuery<Explained>(CompiledQuery.raw(explain, [...values]))
      plan = rows[0]?.['QUERY PLAN'][0].Plan
      throw new TakenBack()
    })
    await assert.rejects(explaining, TakenBack)
    const read = nodesOf(plan ?? assert.fail()).flatMap((node) => {
      const { 'Relation Name': table, 'Index Name': index, 'Node Type': type } = node
      return node['Actual Loops'] > 0 && table !== undefined && type !== 'ModifyTable'
        ? [{ table, by: index === undefined ? type : wholeOf(index) }]
        : []
    })
    return {
      lookups: [...new Set(read.map(({ table, by }) => `${wholeOf(table)}: ${by}`))].sort(),
      tables: new Set(read.map(({ table }) => table)),
    }
  }

  const cases = MODELS.flatMap((model) =>
    Object.entries(REQUESTS).map(([name, request]) => ({ name, model, ...request })),
  )
  for (const { name, model, prepare, planned } of cases) {
    test(`${name} of the model ${model} uses its indexes on one shard`, async () => {
      const request = await prepare(devices.get(model) ?? assert.fail())
      const statements = await recordStatements(SHARDED, async () => {
        assert.ok((await request()).status < 300)
      })
      const plans: string[] = []
      for (const statement of statements) {
        const { lookups, tables } = await plannedOf(statement)
        for (const table of SHARDED) {
          const parts = [...tables].filter((part) => wholeOf(part) === table)
          assert.ok(parts.length <= 1, `${statement.text} reads ${parts.join(', ')}`)
        }
        if (isAbout(BUCKETED, statement.text)) assert.match(statement.text, /\bbucket\b/)
        const [verb] = statement.text.split(/\s/, 1)
        plans.push([verb, ...lookups].join(' '))
      }
      assert.deepEqual(plans, planned)
    })
  }
})

class TakenBack extends Error {}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
