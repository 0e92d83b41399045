/**
 * Guarantee: an account without the permission to send a file is refused before it sends it, at every address
 * that accepts one. The headers of a form's part cannot cost much.
 */
import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { MANAGEMENT_OPERATIONS, MANAGEMENT_PREFIX, type ManagementOperation } from '@ratafia/api/schemas'
import { browserWith } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { ACME, withAcme } from '../support/devices.ts'
import { addOperator, manage, managementToken, managerToken } from '../support/managers.ts'
import { sendRaw } from '../support/raw-http.ts'
import { addPerson, testService } from '../support/service.ts'

const PART_BYTES = 4 * 1024 * 1024
const FORMS = [
  '/console/devices/import',
  `/console/models/${ACME.brandId}/${ACME.model}/allow-list/import`,
  '/console/hardware-identities/import',
  '/console/packages/import',
]
/** The addresses that accept a file, by operation. */
const ADDRESSES: Readonly<Record<string, (job: string) => readonly string[]>> = {
  'POST /jobs': () =>
    [
      ...['devices.import', 'allow-list.import', 'allow-list.remove'],
      ...['hardware-identities.import', 'packages.import'],
    ].map((kind) => `${MANAGEMENT_PREFIX}/jobs?kind=${kind}`),
  'PUT /jobs/:id/parts/:part': (job) => [`${MANAGEMENT_PREFIX}/jobs/${job}/parts/1`],
}

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let withoutRole: string
  let operator: string
  let job: string
  before(async () => {
    await withAcme(service.installation)
    withoutRole = await managementToken(service, await addPerson(service))
    operator = await managementToken(service, await addOperator(service))
    const made = await manage(service, operator, 'POST', '/jobs', {
      body: { kind: 'devices.import', format: 'csv', parts: 1 },
    })
    job = made.body.id
  })

  /** Sends only the headers of a large body. */
  const announced = async (method: string, path: string, headers: string): Promise<number | undefined> => {
    const text = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${PART_BYTES}\r\n${headers}\r\n\r\n`
    const [answer] = await sendRaw(service.baseUrl, text)
    return answer?.status
  }

  const operations: readonly ManagementOperation[] = Object.values(MANAGEMENT_OPERATIONS)
  test('this table has every operation that accepts a file', () => {
    const taking = operations.filter(({ file }) => file).map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(taking.sort(), Object.keys(ADDRESSES).sort())
  })

  for (const [operation, addresses] of Object.entries(ADDRESSES)) {
    const [method = ''] = operation.split(' ')
    test(`${operation} refuses a missing token and a missing permission before the file is sent`, async () => {
      for (const path of addresses(job)) {
        const type = 'Content-Type: text/csv'
        assert.equal(await announced(method, path, type), 401, path)
        const status = await announced(method, path, `Authorization: Macaroon ${withoutRole}\r\n${type}`)
        // A job of another account is treated as missing.
        assert.equal(status, operation.startsWith('PUT') ? 404 : 403, path)
      }
    })
  }

  for (const query of ['kind=devices.import&kind=x', 'kind=no-such-kind', 'kind=']) {
    test(`refuses a job whose ${query} is not a kind of file before the file is sent`, async () => {
      const headers = `Authorization: Macaroon ${operator}\r\nContent-Type: text/csv`
      assert.equal(await announced('POST', `${MANAGEMENT_PREFIX}/jobs?${query}`, headers), 400)
    })
  }

  for (const path of FORMS) {
    test(`${path} refuses users without a session or permission before the file is sent`, async () => {
      const type = 'Content-Type: multipart/form-data; boundary=b'
      assert.equal(await announced('POST', path, type), 403)
      const status = await announced('POST', path, `Cookie: ratafia-console=${withoutRole}\r\n${type}`)
      assert.ok(status === 403 || status === 404, String(status))
    })

    test(`${path} accepts at most a few kilobytes of headers for a part, from any user`, async () => {
      const browser = browserWith(service, new Map([['ratafia-console', operator]]))
      const parsing = mock.method(Response.prototype, 'formData')
      try {
        for (const headers of [
          `Content-Disposition: form-data; name="file"; filename="${'%22'.repeat(100_000)}"`,
          'X-Y: z\r\n'.repeat(10_000),
          `Content-Disposition: form-data; name="${'x'.repeat(5_000)}"`,
        ]) {
          const response = await fetch(`${service.baseUrl}${path}`, {
            method: 'POST',
            headers: {
              'content-type': 'multipart/form-data; boundary=b',
              cookie: `ratafia-console=${operator}`,
            },
            body: `--b\r\n${headers}\r\n\r\nx\r\n--b--\r\n`,
          })
          assert.equal(response.status, 400)
          await response.text()
        }
        assert.equal(parsing.mock.callCount(), 0)
      } finally {
        parsing.mock.restore()
      }
      assert.equal((await browser.get(path)).status, 200)
    })
  }

  test('a brand manager also needs the permission of the kind of job', async () => {
    const token = await managerToken(service, `viewer ${ACME.brandId}`)
    const path = `${MANAGEMENT_PREFIX}/jobs?kind=devices.import&format=csv`
    assert.equal(await announced('POST', path, `Authorization: Macaroon ${token}`), 403)
  })
})
