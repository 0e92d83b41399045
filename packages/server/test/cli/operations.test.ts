/**
 * Contract of the two services that a command can go to: over HTTP, and in this process on the database. Every operation
 * answers the same record, the same refusal and the same pages.
 */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import { ServiceAway, ServiceRefusal } from '../../src/cli/context.ts'
import { serviceAt } from '../../src/cli/service/http-service.ts'
import type { Asking, Service, ServiceOperation } from '../../src/cli/service/service.ts'
import { inProcessService } from '../../src/start/operations/in-process-service.ts'
import { importDevices } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { addOperator, managementToken } from '../support/managers.ts'
import { testService } from '../support/service.ts'

type Name = keyof typeof api
const names = Object.keys(api) as Name[]

/** About whoever is logged in: on the database nobody is. They make tokens, or are described by one. */
const ABOUT_THE_CALLER = names.filter(
  (name) =>
    api[name].path.startsWith('/me') ||
    api[name].path.startsWith('/tokens/root') ||
    api[name].path.startsWith('/tokens/exchange'),
)
const SHARED = names.filter((name) => !ABOUT_THE_CALLER.includes(name))

/** What fills the parameters of a path, so that there is nothing of that name. */
const NOBODYS: Asking = {
  id: newDeviceId(new Date()),
  names: {
    ...{ brand: 'nobody', model: 'nothing', name: 'nobody', part: '1' },
    ...{ to_brand: 'nobody', to_model: 'nothing' },
  },
}

/** A body that fits the schema of each operation that needs one. */
const BODIES: Partial<Record<Name, object>> = {
  addAccount: { username: 'newcomer', email: 'newcomer@example.org', name: 'New' },
  editAccount: { name: 'Other' },
  addGrant: { account: 'nobody', role: 'auditor', brand: null, expires: null },
  rejectDevice: { reason: 'no' },
  addModel: { assertion: 'none', policy: { registration: 'auto' } },
  setPolicy: { registration: 'auto' },
  updateModel: { assertion: 'none' },
  addRemodel: { to: 'nobody/nothing' },
  addApiKey: { label: 'line', expires: null, uses: null },
  removeAllowed: { all: true },
  makeJob: { kind: 'devices.approve', ids: [newDeviceId(new Date())] },
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let overHttp: Service
  let inProcess: Service

  before(async () => {
    const { installation, baseUrl } = service
    const token = await managementToken(service, await addOperator(service))
    overHttp = serviceAt(baseUrl, { token, renew: undefined })
    inProcess = inProcessService(installation)
    await withAcme({ ...installation, clock: service.now })
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

  /** What both answer, or the refusal of both. */
  async function both<T>(ask: (service: Service) => Promise<T>): Promise<T | ServiceRefusal> {
    const [there, here] = [await outcome(ask(overHttp)), await outcome(ask(inProcess))]
    assert.deepEqual(shown(here), shown(there))
    return there
  }

  const call = (operation: ServiceOperation, asking?: Asking) => both((one) => one.call(operation, asking))

  suite('each operation', () => {
    for (const name of SHARED) {
      const operation: ManagementOperation = MANAGEMENT_OPERATIONS[name]
      const parameters = [...operation.path.matchAll(/:(\w+)/g)]
      if (operation.streams || (operation.file?.onlyWith === undefined && operation.file)) continue
      const asking = { ...NOBODYS, ...bodyOf(name) }
      if (parameters.length > 0) {
        test(`${name}: the same refusal where nothing has that name`, async () => {
          assert.ok((await call(api[name], asking)) instanceof ServiceRefusal)
        })
      } else if (isChange(operation)) {
        test(`${name}: the same answer when it is only tried`, async () => {
          await call(api[name], { ...asking, query: { dry_run: true } })
        })
      } else {
        test(`${name}: the same answer`, async () => {
          await call(api[name], asking)
        })
      }
      test(`${name}: the same refusal of a parameter that it does not have`, async () => {
        const refused = await call(api[name], { ...asking, query: { no_such_parameter: 'x' } })
        assert.ok(refused instanceof ServiceRefusal, 'it took it')
      })
    }
  })

  suite('lists', () => {
    for (const most of [1, 7, 250, 251, 300, 1_000]) {
      test(`${most} of 300 devices, in the same pages`, async () => {
        const listed = await both(async (one) => {
          const pages = []
          for await (const page of one.pages(api.devices, 'devices', { query: { sort: 'serial' }, most })) {
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

    test('the lines of an export', async () => {
      const lines = await both((one) => allLines(one, api.exportDevices, { query: { format: 'ndjson' } }))
      assert.ok(Array.isArray(lines))
      assert.equal(lines.length, 300)
      const csv = await both((one) => allLines(one, api.exportDevices, { query: { format: 'csv' } }))
      assert.ok(Array.isArray(csv))
      assert.equal(csv.length, 301)
    })

    test('a refusal of an export', async () => {
      const refused = await both((one) =>
        allLines(one, api.exportDevices, { query: { status: 'unheard-of' } }),
      )
      assert.ok(refused instanceof ServiceRefusal)
    })
  })

  suite('changes', () => {
    test('a record has the same version, and one that somebody has changed is refused', async () => {
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

    test('a name that leads to another path is nobody’s', async () => {
      for (const id of ['.', '..']) {
        const refused = await call(api.account, { id })
        assert.ok(refused instanceof ServiceRefusal)
        assert.equal(refused.code, 'no-such-record')
      }
    })

    test('a job that is made is followed to its end, in this process without a service', async () => {
      const { record } = await inProcess.call(api.makeJob, {
        body: { kind: 'devices.approve', ids: [newDeviceId(new Date())] },
      })
      const asking = { id: String(record['id']), query: { wait: 60 } }
      const { record: ended } = await inProcess.meanwhile(() => inProcess.call(api.job, asking))
      assert.deepEqual([ended['state'], ended['refused']], ['done', 1])
      await call(api.job, { id: asking.id })
    })
  })
})

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

/** An error by what a person and a program read of it. */
const shown = (value: unknown): unknown =>
  value instanceof Error
    ? {
        refused: value.message,
        ...('code' in value ? { code: value.code } : {}),
        ...('extra' in value ? { extra: value.extra } : {}),
      }
    : value
