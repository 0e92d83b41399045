/** Tests jobs that import a file: parts, all or nothing, errors, the limits of a brand, and a process that dies. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { linkEntries } from '../../src/audit/link.ts'
import { isOver } from '../../src/management/jobs/job.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, withAcme } from '../support/devices.ts'
import { addManager, manage, managementToken, managerToken } from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

const HEADER = 'brand_id,model,serial,device_key_id\n'
const keyId = (index: number) => Buffer.alloc(48, `key ${index}`).toString('base64url')

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: string
  let acme: string
  const tokenOf = async (...roles: readonly string[]) => managerToken(service, ...roles)
  before(async () => {
    await withAcme(service.installation)
    await addAcmeModel(service.installation, 'lot')
    operator = await tokenOf('operator')
    acme = await tokenOf('brand-manager acme-brand')
  })

  const CSV = { kind: 'devices.import', format: 'csv' }
  let models = 0
  const newModel = async () => {
    const model = `files-${++models}`
    await addAcmeModel(service.installation, model)
    return model
  }
  const rows = (model: string, count: number, from = 0, brand = 'acme-brand') =>
    Array.from(
      { length: count },
      (_, index) => `${brand},${model},F-${model}-${from + index},${keyId(from + index + models * 1e4)}\n`,
    ).join('')
  const make = (token: string, body: object, query = '') =>
    manage(service, token, 'POST', '/jobs', { body, query })
  const put = async (token: string, id: string, part: number | string, bytes: string | Uint8Array) => {
    const response = await fetch(`${service.baseUrl}/api/management/v1/jobs/${id}/parts/${part}`, {
      method: 'PUT',
      headers: { authorization: `Macaroon ${token}`, 'content-type': 'text/csv' },
      body: Buffer.from(bytes),
    })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const start = (token: string, id: string) =>
    manage(service, token, 'POST', `/jobs/${id}/start`, { body: {} })
  /** Creates a job with a complete file, and queues it. Returns its id. */
  const queued = async (token: string, file: string, how = CSV): Promise<string> => {
    const { body } = await make(token, { ...how, parts: 1 })
    assert.equal((await put(token, body.id, 1, file)).status, 200)
    assert.equal((await start(token, body.id)).status, 200)
    return body.id
  }
  const run = () => runJobs(async () => true, service.installation)
  /** Returns the job when it has ended, and its item. */
  const imported = async (
    token: string,
    body: object,
    parts: readonly (string | Uint8Array)[],
    query = '',
  ) => {
    const made = await make(token, { parts: parts.length, ...body }, query)
    assert.equal(made.status, 202, JSON.stringify(made.body))
    const { id } = made.body
    for (const [index, part] of parts.entries()) {
      assert.equal((await put(token, id, index + 1, part)).status, 200)
    }
    assert.equal((await start(token, id)).status, 200)
    await run()
    const { body: job } = await manage(service, token, 'GET', `/jobs/${id}`)
    const { body: list } = await manage(service, token, 'GET', `/jobs/${id}/items`)
    assert.ok(isOver(job.state), job.state)
    return { job, item: list.items[0] }
  }
  const devicesOf = (model: string) =>
    service.installation.devices.list({ brandId: 'acme-brand', model, limit: 1000 })
  const partsLeft = async () =>
    service.installation.database.query.selectFrom('job_part').select('job_id').execute()

  test("imports devices from parts that break anywhere: all of them, in the name of the job's author", async () => {
    const model = await newModel()
    const text = HEADER + rows(model, 50)
    const cut = [text.slice(0, 7), text.slice(7, 1_234), text.slice(1_234)]
    const { job, item } = await imported(acme, CSV, cut)
    assert.deepEqual([job.state, job.total, job.done, job.parts, job.dry_run], ['done', 1, 1, 3, false])
    assert.deepEqual(item, {
      ...{ subject: 'file', outcome: 'done', code: null, message: null, extra: null },
      result: { devices: 50, added: 50 },
    })
    const found = await devicesOf(model)
    assert.equal(found.length, 50)
    assert.ok(found.every(({ decidedBy }) => decidedBy === job.by))
    const [entry] = await service.installation.audit.list({ action: 'devices.import' }, { limit: 1 })
    assert.equal(JSON.parse(entry?.details ?? '{}').job, job.id)
    assert.deepEqual(await partsLeft(), [])
    const again = await imported(acme, CSV, [text])
    assert.deepEqual(again.item.result, { devices: 50, added: 0 })
  })

  test('imports JSON lists and JSON lines', async () => {
    const model = await newModel()
    const list = [0, 1].map((index) => ({
      ...{ brand_id: 'acme-brand', model, serial: `J-${index}`, device_key_id: keyId(index) },
    }))
    const json = await imported(acme, { ...CSV, format: 'json' }, [JSON.stringify(list)])
    assert.deepEqual(json.item.result, { devices: 2, added: 2 })
    const lines = list.map((row) => `${JSON.stringify(row)}\n`).join('\n')
    const ndjson = await imported(acme, { ...CSV, format: 'ndjson' }, [lines])
    assert.deepEqual(ndjson.item.result, { devices: 2, added: 0 })
  })

  test('imports nothing if there is one error; the item lists all errors', async () => {
    const model = await newModel()
    const text = `${HEADER}${rows(model, 3)}acme-brand,${model},X,short\nacme-brand,${model},,${keyId(7)}\n`
    const { job, item } = await imported(acme, CSV, [text])
    assert.deepEqual(
      [job.state, job.refused, item.outcome, item.code],
      ['done', 1, 'refused', 'invalid-field'],
    )
    assert.match(
      item.message,
      /^line 5: "device_key_id" .*\nline 6: "serial" is missing.*\nNothing was imported\.$/,
    )
    assert.deepEqual(item.extra.faults, [
      {
        ...{ line: 5, item: null, column: 'device_key_id' },
        message: '"device_key_id" is not the id of a key: 64 characters, as in device-key-sha3-384.',
      },
      {
        ...{ line: 6, item: null, column: 'serial' },
        message: '"serial" is missing, but the device is active.',
      },
    ])
    const list = [{ brand_id: 'acme-brand', model, serial: 'a/b', device_key_id: keyId(1) }]
    const json = await imported(acme, { ...CSV, format: 'json' }, [JSON.stringify(list)])
    const [{ line, item: number, column }] = json.item.extra.faults
    assert.deepEqual([line, number, column], [null, 1, 'serial'])
    assert.deepEqual(await devicesOf(model), [])
    for (const [format, text] of [
      ['csv', `${HEADER}"acme`],
      ['json', '{"a":'],
      ['json', '['.repeat(100_000)],
      ['ndjson', 'null\n'],
      ['json', Buffer.from([0x5b, 0xff])],
    ] as const) {
      const { item } = await imported(acme, { ...CSV, format }, [text])
      assert.equal(item.outcome, 'refused', String(text.slice(0, 20)))
    }
  })

  describe('a file of up to 4 MiB as the body of one request', () => {
    const post = async (
      token: string,
      query: string,
      body: string | Uint8Array,
      { type = 'text/csv', ...headers }: Readonly<Record<string, string>> = {},
    ) => {
      const response = await fetch(`${service.baseUrl}/api/management/v1/jobs?${query}`, {
        method: 'POST',
        headers: { authorization: `Macaroon ${token}`, 'content-type': type, ...headers },
        body: Buffer.from(body),
      })
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
    }
    const resultOf = async (id: string) => {
      await run()
      return (await manage(service, operator, 'GET', `/jobs/${id}/items`)).body.items[0]
    }

    test('is accepted in the format of its media type, or in the named one', async () => {
      const model = await newModel()
      const rows = [1, 2].map((index) => ({
        ...{
          brand_id: 'acme-brand',
          model,
          serial: `B-${index}`,
          device_key_id: keyId(index + models * 1e4),
        },
      }))
      const csv = `${HEADER}${rows.map((row) => Object.values(row).join(',')).join('\n')}`
      const lines = rows.map((row) => JSON.stringify(row)).join('\n')
      for (const [type, format, text] of [
        ['text/csv; charset=utf-8', '', csv],
        ['application/x-ndjson', '', lines],
        ['application/json', '', JSON.stringify(rows)],
        ['application/octet-stream', '&format=csv', csv],
        ['text/csv', '&format=json', JSON.stringify(rows)],
      ] as const) {
        const made = await post(acme, `kind=devices.import${format}`, text, { type })
        assert.deepEqual([made.status, made.body.state, made.body.parts], [202, 'queued', 1], type)
        assert.equal(made.headers.get('location'), `/api/management/v1/jobs/${made.body.id}`)
        assert.equal((await resultOf(made.body.id)).result.devices, 2, type)
      }
      assert.equal((await devicesOf(model)).length, 2)
    })

    test('is accepted with a dry run, for other kinds, and again with the same key', async () => {
      const model = await newModel()
      const text = HEADER + rows(model, 3)
      const tried = await post(acme, 'kind=devices.import&dry_run=true', text)
      assert.deepEqual([tried.headers.get('ratafia-dry-run'), tried.body.dry_run], ['true', true])
      assert.deepEqual((await resultOf(tried.body.id)).result, { devices: 3, added: 3 })
      assert.deepEqual(await devicesOf(model), [])
      const allow = await post(acme, `kind=allow-list.import&model=acme-brand/${model}`, 'serial\nA-1\n')
      assert.deepEqual((await resultOf(allow.body.id)).result, { entries: 1, added: 1 })
      const key = { 'idempotency-key': `a-key-of-${model}-for-a-file` }
      const first = await post(acme, 'kind=devices.import', text, key)
      const again = await post(acme, 'kind=devices.import', text, key)
      assert.deepEqual([again.status, again.body.id], [202, first.body.id])
      assert.equal((await post(acme, 'kind=devices.import', `${text}\n`, key)).status, 422)
      assert.deepEqual((await resultOf(first.body.id)).result, { devices: 3, added: 3 })
    })

    test('refuses anything but such a file', async () => {
      for (const [query, body, status] of [
        ['kind=devices.import', '', 400],
        ['kind=devices.approve', '{}', 400],
        ['kind=audit.verify', '{}', 400],
        ['kind=devices.import&kind=devices.import', 'a', 400],
        ['kind=devices.import&model=acme-brand/lot', HEADER, 400],
        ['kind=allow-list.import', 'serial\nA\n', 400],
        ['kind=devices.import&parts=2', HEADER, 400],
        ['format=csv', HEADER, 400],
        ['unknown_models=true', '{"kind":"tokens.revoke","ids":[]}', 400],
        ['', HEADER, 400],
        ['kind=devices.import', Buffer.alloc(4 * 1024 * 1024 + 1, 'a'), 413],
        ['', Buffer.alloc(65 * 1024, ' '), 413],
      ] as const) {
        assert.equal((await post(acme, query, body)).status, status, `${query} ${body.length}`)
      }
      const long = await post(acme, 'kind=devices.import', Buffer.alloc(4 * 1024 * 1024 + 1))
      assert.equal(refusalOf(long).message, 'The body is larger than 4 MiB.')
      const unnamed = refusalOf(await post(acme, 'kind=devices.import', HEADER, { type: 'text/plain' }))
      assert.deepEqual(
        [unnamed.status, unnamed.message],
        [
          400,
          'format is missing: csv, json or ndjson. A media type also works: text/csv, application/json or application/x-ndjson.',
        ],
      )
      const stranger = await post(acme.slice(0, -4), 'kind=devices.import', HEADER)
      assert.equal(stranger.status, 401)
    })
  })

  test('refuses a part and a start if the job has changed since the caller looked', async () => {
    const { body: job, headers } = await make(acme, { ...CSV, parts: 1 })
    const { headers: now } = await manage(service, acme, 'GET', `/jobs/${job.id}`)
    const etag = now.get('etag') ?? headers.get('etag') ?? ''
    const old = { 'if-match': '"another"' }
    const send = (more: Readonly<Record<string, string>>) =>
      fetch(`${service.baseUrl}/api/management/v1/jobs/${job.id}/parts/1`, {
        method: 'PUT',
        headers: { authorization: `Macaroon ${acme}`, ...more },
        body: HEADER,
      })
    const begin = (more: Record<string, string>) =>
      manage(service, acme, 'POST', `/jobs/${job.id}/start`, { body: {}, headers: more })
    assert.equal((await send(old)).status, 412)
    assert.equal((await send({ 'if-match': etag })).status, 200)
    assert.equal((await begin(old)).status, 412)
    assert.equal((await begin({ 'if-match': etag })).status, 200)
    assert.equal((await begin({ 'if-match': etag })).status, 412, 'it is queued now')
    await run()
  })

  test('a dry run shows what the import would do, and changes nothing', async () => {
    const model = await newModel()
    const text = HEADER + rows(model, 5)
    const { job, item } = await imported(acme, CSV, [text], '?dry_run=true')
    assert.deepEqual([job.state, job.dry_run, item.result], ['done', true, { devices: 5, added: 5 }])
    assert.deepEqual(await devicesOf(model), [])
    assert.deepEqual(await partsLeft(), [])
  })

  test('Guarantee: treats another brand as missing', async () => {
    const there = await imported(operator, { ...CSV, unknown_models: true }, [
      `${HEADER}other-brand,secret,S-1,${keyId(1)}\n`,
    ])
    assert.deepEqual(there.item.result, { devices: 1, added: 1 })
    const messages = []
    for (const name of ['secret', 'nothing']) {
      const text = `${HEADER}other-brand,${name},S-1,${keyId(1)}\n`
      for (const more of [{}, { unknown_models: true }]) {
        const { item } = await imported(acme, { ...CSV, ...more }, [text])
        assert.equal(item.outcome, 'refused')
        messages.push(item.message.replace(name, 'NAME'))
      }
    }
    assert.equal(new Set(messages).size, 1, JSON.stringify(messages))
  })

  test('Guarantee: a manager of one brand cannot import decisions in the name of others, or choose ids', async () => {
    const model = await newModel()
    const [theirs] = await service.installation.devices.list({ limit: 1 })
    for (const [column, value] of [
      ['id', `${theirs?.id}`],
      ['origin', 'registration'],
      ['registered_at', '2020-01-01T00:00:00.000Z'],
      ['decided_at', '2020-01-01T00:00:00.000Z'],
      ['decided_by', 'operator'],
      ['quarantined_at', '2020-01-01T00:00:00.000Z'],
    ] as const) {
      const taken = `${column},${HEADER}${value},acme-brand,${model},T,${keyId(2)}\n`
      const { item } = await imported(acme, CSV, [taken])
      assert.match(
        item.message,
        new RegExp(`^line 2: only an operator who manages .* all brands can set "${column}"`),
      )
      // An empty cell has no effect.
      const blank = `${column},${HEADER},acme-brand,${model},T-${column},${keyId(100 + column.length)}\n`
      assert.equal((await imported(acme, CSV, [blank], '?dry_run=true')).item.outcome, 'done')
    }
    const removed = `status,removed_at,${HEADER}revoked,2020-01-01T00:00:00.000Z,acme-brand,${model},T,${keyId(2)}\n`
    assert.match((await imported(acme, CSV, [removed])).item.message, /can set "removed_at"/)
    assert.deepEqual(await devicesOf(model), [])
    await imported(acme, CSV, [HEADER + rows(model, 1)])
    const [own] = await service.installation.devices.list({ brandId: 'acme-brand', model, limit: 1 })
    assert.equal(own?.origin, 'import')
    assert.notEqual(own?.decidedBy, 'operator')
  })

  test('a removed role stops the job before it does anything', async () => {
    const account = await addManager(service, 'brand-manager acme-brand')
    const token = await managementToken(service, account)
    const model = await newModel()
    const id = await queued(token, HEADER + rows(model, 2))
    await service.installation.grants.removeAllOf(account.id)
    await run()
    const { body: job } = await manage(service, operator, 'GET', `/jobs/${id}`)
    assert.deepEqual([job.state, await devicesOf(model)], ['stopped', []])
    assert.deepEqual(await partsLeft(), [])
  })

  test('Guarantee: no other login can send the file or start the job, not even one of the account or an operator', async () => {
    const account = await addManager(service, 'brand-manager acme-brand')
    const token = await managementToken(service, account)
    const less = await managementToken(service, account, { roles: ['viewer'] })
    const { body } = await make(token, { ...CSV, parts: 1 })
    assert.equal((await put(token, body.id, 1, HEADER)).status, 200)
    for (const other of [less, await managementToken(service, account), operator]) {
      for (const answer of [await put(other, body.id, 1, 'x'), await start(other, body.id)]) {
        assert.deepEqual([answer.status, answer.body.error_list[0].code], [403, 'permission-denied'])
      }
    }
    assert.equal((await start(token, body.id)).status, 200)
    await run()
  })

  test('a role that is removed during the import stops it, and nothing is stored', async () => {
    const account = await addManager(service, 'brand-manager acme-brand')
    const token = await managementToken(service, account)
    const model = await newModel()
    const id = await queued(token, HEADER + rows(model, 3))
    const { installation } = service
    const inImport: typeof installation.inImport = (author) => (work) =>
      installation.inImport(author)(async (on) => {
        const value = await work({ ...on, grants: { ...on.grants, heldBy: async () => [] } })
        return value
      })
    let rounds = 0
    await runJobs(async () => rounds++ < 1, { ...installation, inImport })
    assert.deepEqual(await devicesOf(model), [])
    await installation.grants.removeAllOf(account.id)
    await run()
    const { body: job } = await manage(service, operator, 'GET', `/jobs/${id}`)
    assert.deepEqual([job.state, job.done], ['stopped', 0])
  })

  test('two processes that run one job at once import it once', async () => {
    const model = await newModel()
    const id = await queued(acme, HEADER + rows(model, 300))
    const entries = async () =>
      (await service.installation.audit.list({ action: 'devices.import' }, { limit: 1000 })).length
    const before = await entries()
    await Promise.all([run(), run(), run()])
    const { body: items } = await manage(service, acme, 'GET', `/jobs/${id}/items`)
    assert.deepEqual(items.items[0].result, { devices: 300, added: 300 })
    assert.equal((await devicesOf(model)).length, 300)
    assert.equal(await entries(), before + 1)
  })

  test('a process that dies in the middle leaves nothing, and another one does everything', async () => {
    const model = await newModel()
    const id = await queued(acme, HEADER + rows(model, 20))
    const { installation } = service
    const dying: typeof installation.inImport = (author) => (work) =>
      installation.inImport(author)(async (on) => {
        await work(on)
        throw new Error('the process dies before it commits')
      })
    // A dead process, as the database sees it: what would follow the crash does not happen either.
    const gone = { ...installation, inImport: dying, changeBy: () => () => Promise.reject(new Error('gone')) }
    await assert.rejects(
      runJobs(async () => true, gone),
      /dies|gone/,
    )
    assert.deepEqual(await devicesOf(model), [])
    await run()
    assert.equal((await devicesOf(model)).length, 20)
    const { body: job } = await manage(service, acme, 'GET', `/jobs/${id}`)
    assert.deepEqual([job.state, job.done], ['done', 1])
  })

  describe('refuses', () => {
    test('parts that the job does not have, a start with a missing part, and late parts', async () => {
      const model = await newModel()
      const { body } = await make(acme, { ...CSV, parts: 2 })
      const { id } = body
      assert.equal(body.state, 'uploading')
      for (const part of [0, 3, '01', 'x', '-1', '1e1', '9'.repeat(20), '%00']) {
        assert.equal((await put(acme, id, part, 'a')).status, 400, String(part))
      }
      assert.equal((await put(acme, id, 1, '')).status, 400)
      assert.equal((await put(acme, id, 1, Buffer.alloc(4 * 1024 * 1024 + 1))).status, 413)
      const missing = refusalOf(await start(acme, id))
      assert.deepEqual([missing.status, missing.code], [409, 'state-conflict'])
      assert.match(missing.message, /^2 of the 2 parts of the job .* are missing\. Send them first\.$/)
      assert.equal((await put(acme, id, 1, 'nonsense')).status, 200)
      assert.equal((await put(acme, id, 1, HEADER)).status, 200, 'a part can be sent again')
      assert.equal((await put(acme, id, 2, rows(model, 1))).status, 200)
      assert.equal((await start(acme, id)).status, 200)
      assert.equal((await start(acme, id)).status, 200, 'it is queued already')
      assert.equal((await put(acme, id, 2, 'x')).status, 409)
      await run()
      assert.equal((await devicesOf(model)).length, 1)
      assert.equal((await start(acme, id)).status, 409)
    })

    test('jobs of others, other kinds of jobs, and options that do not belong together', async () => {
      const { body } = await make(acme, { ...CSV, parts: 1 })
      const other = await tokenOf('brand-manager acme-brand')
      assert.equal((await put(other, body.id, 1, 'x')).status, 404)
      assert.equal((await start(other, body.id)).status, 404)
      const ended = await manage(service, acme, 'POST', `/jobs/${body.id}/cancel`, { body: {} })
      assert.equal(ended.body.state, 'cancelled')
      assert.equal((await put(acme, body.id, 1, 'x')).status, 409)
      for (const [bad, status] of [
        [{ kind: 'devices.import' }, 400],
        [{ kind: 'devices.import', parts: 1 }, 400],
        [{ ...CSV, parts: 0 }, 400],
        [{ ...CSV, parts: 65 }, 400],
        [{ kind: 'packages.import', format: 'csv', parts: 3 }, 403],
        [{ kind: 'allow-list.import', format: 'csv', model: 'acme-brand/lot', parts: 3 }, 400],
        [{ ...CSV, parts: 1, format: 'xml' }, 400],
        [{ ...CSV, parts: 1, model: 'acme-brand/lot' }, 400],
        [{ ...CSV, parts: 1, ids: [body.id] }, 400],
        [{ kind: 'allow-list.import', format: 'csv', parts: 1 }, 400],
        [{ kind: 'devices.approve', parts: 1 }, 400],
        [{ kind: 'devices.approve', format: 'csv', ids: [body.id] }, 400],
      ] as const) {
        assert.equal((await make(acme, bad)).status, status, JSON.stringify(bad))
      }
      const viewer = await tokenOf('viewer')
      assert.equal(refusalOf(await make(viewer, { ...CSV, parts: 1 })).code, 'permission-denied')
      const packages = { kind: 'packages.import', format: 'csv', parts: 1 }
      assert.equal(refusalOf(await make(acme, packages)).code, 'permission-denied')
    })

    test('a third job while two wait; jobs whose file never comes are removed after a day', async () => {
      const token = await tokenOf('brand-manager acme-brand')
      const ids = []
      for (const _ of [1, 2]) ids.push((await make(token, { ...CSV, parts: 1 })).body.id)
      assert.equal((await make(token, { ...CSV, parts: 1 })).status, 429)
      await put(token, ids[0], 1, 'x')
      const { jobs } = service.installation
      assert.equal(await jobs.removeUploading(new Date(0), 500), 0)
      assert.ok((await jobs.removeUploading(new Date(Date.now() + 1_000), 500)) >= 2)
      assert.equal((await manage(service, token, 'GET', `/jobs/${ids[0]}`)).status, 404)
      assert.deepEqual(await partsLeft(), [])
    })
  })

  test('imports allow-lists and packages', async () => {
    const model = await newModel()
    const allow = { kind: 'allow-list.import', format: 'csv', model: `acme-brand/${model}` }
    const entries = await imported(acme, allow, ['serial\nA-1\nA-2\n'])
    assert.deepEqual(entries.item.result, { entries: 2, added: 2 })
    const remove = { ...allow, kind: 'allow-list.remove' }
    const left = await imported(acme, remove, ['serial\nA-2\nA-3\n'], '?dry_run=true')
    assert.deepEqual(left.item.result, { removed: 1 })
    for (const removed of [1, 0]) {
      assert.deepEqual((await imported(acme, remove, ['serial\nA-2\nA-3\n'])).item.result, { removed })
    }
    const elsewhere = await imported(acme, { ...allow, model: 'other-brand/secret' }, ['serial\nA-1\n'])
    assert.equal(elsewhere.item.code, 'no-such-record')
    const packages = { kind: 'packages.import', format: 'csv' }
    const text = 'name,snap_id\nhello,id-of-hello\n'
    const plan = await imported(operator, packages, [text], '?dry_run=true')
    assert.deepEqual(plan.item.result, { added: 1, changed: 0, removed: 0, unchanged: 0 })
    assert.deepEqual((await imported(operator, packages, [text])).item.result, { imported: 1 })
    assert.equal((await manage(service, operator, 'GET', '/packages')).body.packages.length, 1)
    const broken = await imported(operator, { kind: 'hardware-identities.import' }, ['type: nonsense\n'])
    assert.equal(broken.item.outcome, 'refused')
  })

  test('a job verifies the audit log', async () => {
    await linkEntries(service.installation)
    const verify = async (body: object) => {
      const made = await manage(service, await tokenOf('auditor'), 'POST', '/audit/verify', { body })
      if (made.status !== 202) return made
      await run()
      const { body: items } = await manage(service, operator, 'GET', `/jobs/${made.body.id}/items`)
      return items.items[0]
    }
    const whole = await verify({})
    assert.deepEqual([whole.subject, whole.outcome], ['audit log', 'done'])
    assert.ok(whole.result.verified > 10)
    assert.match(whole.message, /^\d+:[0-9a-f]{64}$/)
    assert.equal((await verify({ expect: whole.message })).message.split(':')[0] >= 1, true)
    const other = `${whole.message.split(':')[0]}:${'0'.repeat(64)}`
    const broken = await verify({ expect: other })
    assert.equal(broken.result.broken_at, Number(other.split(':')[0]))
    assert.match(broken.message, / its hash is not the expected one: the chain was rebuilt$/)
    assert.equal((await verify({ expect: 'x' })).status, 400)
    const named = await make(operator, {
      kind: 'audit.verify',
      ids: ['00000000-0000-0000-0000-000000000000'],
    })
    assert.equal(named.status, 400)
    const manager = await manage(service, acme, 'POST', '/audit/verify', { body: {} })
    assert.equal(refusalOf(manager).code, 'permission-denied')
  })
})
