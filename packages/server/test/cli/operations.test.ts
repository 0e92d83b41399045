/**
 * A command runs its operations over HTTP, or in its own process on the database. Every operation returns the
 * same record, the same refusal and the same pages in both modes.
 */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import type { PrivateKey } from '@ratafia/assertions'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import { ServiceAway, ServiceRefusal } from '../../src/cli/context.ts'
import { serviceAt } from '../../src/cli/service/http-service.ts'
import type { Asking, Found, Service, ServiceOperation } from '../../src/cli/service/service.ts'
import { inProcessService } from '../../src/start/operations/in-process-service.ts'
import { addAgent } from '../support/accounts.ts'
import { importAllowList, importDevices } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  acmeKey,
  addAcmeModel,
  freshDeviceKeys,
  register,
  registered,
  sessionOf,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import { addPerson, logIn, sessionIdOf, type TestService, testService } from '../support/service.ts'

type Name = keyof typeof api
const names = Object.keys(api) as Name[]

/** Operations about the caller, which create tokens or need one. On the database no account is logged in. */
const ABOUT_THE_CALLER = names.filter(
  (name) =>
    api[name].path.startsWith('/me') ||
    api[name].path.startsWith('/tokens/root') ||
    api[name].path.startsWith('/tokens/exchange'),
)
/** Operations whose answers depend on the process or on the time of the request. */
const ABOUT_THE_MOMENT: readonly Name[] = ['status', 'attention']
const SHARED = names.filter((name) => !ABOUT_THE_CALLER.includes(name) && !ABOUT_THE_MOMENT.includes(name))

/** Values for the parameters of a path that do not belong to any record. */
const NOBODYS: Asking = {
  id: newDeviceId(new Date()),
  names: {
    ...{ brand: 'unknown', model: 'nothing', name: 'unknown', part: '1' },
    ...{ to_brand: 'unknown', to_model: 'nothing' },
  },
}

/** A valid body for each operation that needs one. {@link seed} has bodies for existing records. */
const BODIES: Partial<Record<Name, object>> = {
  addAccount: { username: 'newcomer', email: 'newcomer@example.org', name: 'New' },
  editAccount: { name: 'Other' },
  addGrant: { account: 'unknown', role: 'auditor', brand: null, expires: null },
  rejectDevice: { reason: 'no' },
  addModel: { assertion: 'none', policy: { registration: 'auto' } },
  setPolicy: { registration: 'auto' },
  updateModel: { assertion: 'none' },
  addRemodel: { to: 'unknown/nothing' },
  addApiKey: { label: 'line', expires: null, uses: null },
  removeAllowed: { all: true },
  makeJob: { kind: 'devices.approve', ids: [newDeviceId(new Date())] },
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let overHttp: Service
  let inProcess: Service
  let operator: string
  let seeded: Readonly<Partial<Record<Name, Asking>>>

  before(async () => {
    const { installation, baseUrl } = service
    const account = await addOperator(service)
    operator = account.username
    overHttp = serviceAt(baseUrl, { token: await managementToken(service, account), renew: undefined })
    inProcess = inProcessService(installation)
    await withAcme({ ...installation, clock: service.now })
    seeded = await seed(service, inProcess)
    await importDevices(
      {
        unknownModels: true,
        source: {
          format: 'json',
          open: async function* () {
            yield Buffer.from(JSON.stringify(Array.from({ length: 300 }, (_, at) => deviceRow(at))))
          },
        },
      },
      installation,
    )
  })

  /** Returns the answer or the refusal, which must be the same in both modes. */
  async function both<T>(ask: (service: Service) => Promise<T>): Promise<T | ServiceRefusal> {
    const [there, here] = [await outcome(ask(overHttp)), await outcome(ask(inProcess))]
    assert.deepEqual(shown(here), shown(there))
    return there
  }

  const call = (operation: ServiceOperation, asking?: Asking) => both((one) => one.call(operation, asking))

  /** Returns the answer to a dry run of a change. The author and generated values can differ between the modes. */
  async function tried(name: Name, asking: Asking): Promise<unknown> {
    const { body: _, ...seen } = asking
    const [there, here] = await Promise.all(
      [overHttp, inProcess].map(async (one) => {
        const ifMatch = name in SEEN_BY ? (await one.call(SEEN_BY[name] ?? api[name], seen)).etag : undefined
        return outcome(one.call(api[name], { ...asking, ifMatch, query: { dry_run: true } }))
      }),
    )
    assert.deepEqual(plain(here), plain(there))
    return there
  }

  const plain = (found: Found | Error | undefined): unknown =>
    JSON.parse(
      JSON.stringify(found instanceof Error ? shown(found) : found?.record, (name, one) =>
        MADE_UP.has(name) || isNow(one)
          ? `some ${name}`
          : typeof one === 'string'
            ? one.replaceAll(operator, 'operator')
            : one,
      ),
    )

  suite('each operation', () => {
    for (const name of SHARED) {
      const operation: ManagementOperation = MANAGEMENT_OPERATIONS[name]
      const parameters = [...operation.path.matchAll(/:(\w+)/g)]
      if (operation.streams || (operation.file?.onlyWith === undefined && operation.file)) continue
      const asking = { ...NOBODYS, ...bodyOf(name) }
      if (parameters.length > 0) {
        test(`${name}: the same refusal if no record has that name`, async () => {
          assert.ok((await call(api[name], asking)) instanceof ServiceRefusal)
        })
      } else if (isChange(operation)) {
        test(`${name}: the same answer to a dry run`, async () => {
          await tried(name, asking)
        })
      } else {
        test(`${name}: the same answer`, async () => {
          await call(api[name], asking)
        })
      }
      test(`${name}: the same refusal of an unknown parameter`, async () => {
        const refused = await call(api[name], { ...asking, query: { no_such_parameter: 'x' } })
        assert.ok(refused instanceof ServiceRefusal, 'the parameter was accepted')
      })
    }
  })

  suite('each operation on existing records', () => {
    for (const name of SHARED) {
      const operation: ManagementOperation = MANAGEMENT_OPERATIONS[name]
      // Only the login that created a job can start it. The test of imports below does that.
      if (!operation.path.includes(':') || operation.streams || operation.file || name === 'startJob')
        continue
      test(`${name}: the same ${isChange(operation) ? 'answer to a dry run' : 'record'}`, async () => {
        const asking = seeded[name] ?? assert.fail('seed() has no record for this operation')
        const found = await (isChange(operation) ? tried(name, asking) : call(api[name], asking))
        assert.ok(!(found instanceof Error), `${found}`)
      })
    }
  })

  suite('lists', () => {
    for (const most of [1, 7, 250, 251, 300, 1_000]) {
      test(`list ${most} of 300 devices in the same pages`, async () => {
        const listed = await both(async (one) => {
          const pages = []
          for await (const page of one.pages(api.devices, 'devices', {
            query: { sort: 'serial', serial_prefix: 'S-' },
            most,
          })) {
            pages.push(page)
          }
          return pages
        })
        assert.ok(Array.isArray(listed))
        assert.equal(
          listed.reduce((sum, { records }) => sum + records.length, 0),
          Math.min(most, 300),
        )
        assert.equal(listed.at(-1)?.more, most < 300)
      })
    }

    test('export the same lines', async () => {
      const lines = await both((one) =>
        allLines(one, api.exportDevices, { query: { format: 'ndjson', serial_prefix: 'S-' } }),
      )
      assert.ok(Array.isArray(lines))
      assert.equal(lines.length, 300)
      const csv = await both((one) =>
        allLines(one, api.exportDevices, { query: { format: 'csv', serial_prefix: 'S-' } }),
      )
      assert.ok(Array.isArray(csv))
      assert.equal(csv.length, 301)
    })

    test('refuse an export with the same message', async () => {
      const refused = await both((one) =>
        allLines(one, api.exportDevices, { query: { status: 'unheard-of' } }),
      )
      assert.ok(refused instanceof ServiceRefusal)
    })
  })

  suite('changes', () => {
    test('a record has the same version, and a change requires its current version', async () => {
      const account = await addOperator(service)
      const seen = await call(api.account, { id: account.id })
      assert.ok('etag' in seen)
      const { etag } = seen
      await inProcess.call(api.editAccount, { id: account.id, body: { name: 'Changed' }, ifMatch: etag })
      const refused = await call(api.editAccount, { id: account.id, body: { name: 'Late' }, ifMatch: etag })
      assert.ok(refused instanceof ServiceRefusal)
      assert.equal(refused.code, 'version-mismatch')
      const unseen = await call(api.editAccount, { id: account.id, body: { name: 'Blind' } })
      assert.ok(unseen instanceof ServiceRefusal)
      assert.equal(unseen.code, 'version-required')
    })

    test('an id that would lead to a different path does not match any record', async () => {
      for (const id of ['.', '..']) {
        const refused = await call(api.account, { id })
        assert.ok(refused instanceof ServiceRefusal)
        assert.equal(refused.code, 'no-such-record')
      }
    })

    test('a file in parts is imported, or refused with the same message', async () => {
      const imported = async (one: Service, text: string) => {
        const body = { kind: 'packages.import', format: 'csv', parts: 2 }
        const { record } = await one.call(api.makeJob, { body })
        const id = String(record['id'])
        for (const [at, part] of [text.slice(0, 9), text.slice(9)].entries()) {
          await one.call(api.putJobPart, { id, names: { part: String(at + 1) }, bytes: Buffer.from(part) })
        }
        await one.call(api.startJob, { id, body: {} })
        // Only the command on the database runs the jobs of this service.
        await inProcess.meanwhile(() => inProcess.call(api.job, { id, query: { wait: 30 } }))
        const { records } = await one.list(api.jobItems, 'items', { id, most: 9 })
        return records
      }
      for (const text of ['name,snap_id\na,1\n', 'name,snap_id\na b,\n,2\n']) {
        const items = await both((one) => imported(one, text))
        assert.ok(Array.isArray(items) && items.length === 1)
      }
    })

    test('without a service, a command runs its job to the end in its own process', async () => {
      const { record } = await inProcess.call(api.makeJob, {
        body: { kind: 'devices.approve', ids: [newDeviceId(new Date())] },
      })
      const asking = { id: String(record['id']), query: { wait: 30 } }
      const { record: ended } = await inProcess.meanwhile(() => inProcess.call(api.job, asking))
      assert.deepEqual([ended['state'], ended['refused']], ['done', 1])
      await call(api.job, { id: asking.id })
    })
  })
})

/** Fields with values that each call generates, and with secrets that an answer shows once. */
const MADE_UP = new Set(['id', 'key', 'url'])

/** Whether a value is the current time, or a time derived from it. */
const isNow = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^20.*Z$/.test(value) &&
  Math.abs(Date.parse(value) - Date.now()) < 2 * 86_400_000

/** The operation that shows the record, for each change that requires the record's version. */
const SEEN_BY: Partial<Record<Name, ServiceOperation>> = { setPolicy: api.model, editAccount: api.account }

/** Adds a brand with all its parts, devices in every state, an account with its credentials, and jobs. */
async function seed(service: TestService, inProcess: Service): Promise<Partial<Record<Name, Asking>>> {
  const { installation } = service
  const names = { brand: ACME.brandId, model: ACME.model }
  const idOf = async (operation: ServiceOperation, asking: Asking) =>
    String((await inProcess.call(operation, asking)).record['id'])
  const deviceOf = async ({ publicKey }: PrivateKey) => {
    const found = await installation.devices.findByKey({ ...ACME, deviceKeyId: publicKey.id })
    return found ?? assert.fail('the device does not exist')
  }
  const [active, other, pending, held] = await freshDeviceKeys(4)
  assert.ok(active && other && pending && held)
  const serial = await registered(service, { key: active, serial: 'X-1' })
  await sessionOf(service, { serial, key: active })
  assert.equal((await register(service, { key: other, serial: 'X-1' })).status, 400, 'evidence of a clone')
  await registered(service, { key: held, serial: 'X-2' })
  await installation.devices.setQuarantine(await deviceOf(held), new Date())
  await setAcmePolicy(installation, { registration: 'approval' })
  assert.equal((await register(service, { key: pending, serial: 'X-3' })).status, 202)
  const [device, waiting] = [{ id: (await deviceOf(active)).id }, { id: (await deviceOf(pending)).id }]

  const spare = { brand: ACME.brandId, model: 'spare' }
  const assertion = Buffer.from(await addAcmeModel(installation, spare.model)).toString()
  await inProcess.call(api.addRemodel, { names, body: { to: 'acme-brand/spare' } })
  const apiKey = await idOf(api.addApiKey, { names, body: { label: 'line', expires: null, uses: null } })
  const model = { brandId: ACME.brandId, model: ACME.model }
  await importAllowList('serial\nA-1\n', { model, format: 'csv' }, installation)
  const signingKey = { id: acmeKey().publicKey.id }

  const person = await addPerson(service, 'bob')
  await addAgent({ name: 'farm', account: 'bob' }, { ...installation, location: 'https://id.example.org' })
  const token = decodeBinary(decodeBase64(await logIn(service, person)))[0] ?? assert.fail()
  const session = { id: sessionIdOf(token) }
  const bob = { id: person.id }
  const viewer = { account: 'bob', role: 'viewer', brand: null, expires: null }
  const grant = await idOf(api.addGrant, { body: viewer })

  const decision = { kind: 'devices.reject', ids: [newDeviceId(new Date())], reason: 'no' }
  const job = { id: await idOf(api.makeJob, { body: decision }) }
  return {
    ...{ token: session, revokeToken: session },
    ...{ device, deviceSessions: device, deviceRegistrations: device, deviceAssertions: device },
    ...{ deviceEvidence: device, deviceActivity: device, deviceHistory: device },
    ...{ approveDevice: waiting, rejectDevice: { ...waiting, body: { reason: 'no' } } },
    ...{ revokeDevice: device, releaseDevice: { id: (await deviceOf(held)).id } },
    ...{ brand: { names }, signingKey, disableSigningKey: { ...signingKey, body: { force: true } } },
    ...{ model: { names }, setPolicy: { names, body: { clones: 'quarantine' } } },
    ...{ updateModel: { names: spare, body: { assertion } }, removeModel: { names: spare } },
    ...{ addRemodel: { names: spare, body: { to: 'acme-brand/acme-classic' } }, remodels: { names } },
    removeRemodel: { names: { ...names, to_brand: spare.brand, to_model: spare.model } },
    ...{ apiKeys: { names }, apiKey: { names, id: apiKey }, revokeApiKey: { names, id: apiKey } },
    addApiKey: { names, body: { label: 'another', expires: null, uses: 3 } },
    ...{ allowList: { names }, removeAllowed: { names, body: { all: true } } },
    ...{ account: bob, editAccount: { ...bob, body: { name: 'Robert' } }, disableAccount: bob },
    ...{ enableAccount: bob, linkToPassword: bob, accountIdentities: bob, accountAgents: bob },
    ...{ removeAgent: { ...bob, names: { name: 'farm' } }, removeGrant: { id: grant } },
    ...{ job, jobItems: job, cancelJob: job },
  }
}

const deviceRow = (at: number) => ({
  ...{ brand_id: 'acme-brand', model: 'acme-classic', serial: `S-${String(at).padStart(4, '0')}` },
  device_key_id: at.toString(16).padStart(64, '0'),
})

function bodyOf(name: Name): Pick<Asking, 'body'> {
  const { body: schema, method }: ManagementOperation = MANAGEMENT_OPERATIONS[name]
  const body = BODIES[name] ?? (schema && method !== 'GET' ? {} : undefined)
  return body ? { body } : {}
}

async function allLines(
  one: Service,
  operation: ServiceOperation,
  asking: Asking,
): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of one.lines(operation, asking)) lines.push(line)
  return lines
}

const outcome = <T>(answer: Promise<T>): Promise<T | ServiceRefusal> =>
  answer.catch((error: unknown) => {
    if (error instanceof ServiceRefusal || error instanceof ServiceAway) return error as ServiceRefusal
    throw error
  })

/** Returns the message, code and details of an error, and any other value unchanged. */
const shown = (value: unknown): unknown =>
  value instanceof Error
    ? {
        refused: value.message,
        ...('code' in value ? { code: value.code } : {}),
        ...('extra' in value ? { extra: value.extra } : {}),
      }
    : value
