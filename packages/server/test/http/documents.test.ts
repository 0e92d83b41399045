/** Guarantee: the large public documents are compressed, and are not sent again to clients that have them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { sendRaw } from '../support/raw-http.ts'
import { testService } from '../support/service.ts'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  for (const path of ['/openapi.json', '/api/management/v1/openapi.json']) {
    test(`${path} is compressed, and has an ETag`, async () => {
      const plain = await fetch(`${service.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity' } })
      const bytes = (await plain.arrayBuffer()).byteLength
      assert.equal(plain.headers.get('content-encoding'), null)
      assert.equal(plain.headers.get('vary'), 'Accept-Encoding')
      const [packed] = await sendRaw(
        service.baseUrl,
        `HEAD ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`,
      )
      assert.equal(packed?.headers.get('content-encoding'), 'gzip')
      assert.ok(Number(packed?.headers.get('content-length')) < bytes / 4)
      const unpacked = await fetch(`${service.baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.equal((await unpacked.arrayBuffer()).byteLength, bytes)
      const etag = plain.headers.get('etag') ?? assert.fail('it has no ETag')
      const again = await fetch(`${service.baseUrl}${path}`, { headers: { 'if-none-match': etag } })
      assert.deepEqual([again.status, await again.text()], [304, ''])
    })
  }

  test('compressed only for clients that accept gzip', async () => {
    for (const [encoding, expected] of [
      ['GZIP', 'gzip'],
      ['br, gzip ;q=0.1', 'gzip'],
      ['gzip;q=1.0', 'gzip'],
      ['gzip;q=0.001', 'gzip'],
      ['*', null],
      ['gzip;q=0', null],
      ['gzip;q=0.0000', null],
      ['gzip;q=2', null],
    ] as const) {
      const headers = { 'accept-encoding': encoding }
      const { headers: got } = await fetch(`${service.baseUrl}/openapi.json`, { headers })
      assert.equal(got.get('content-encoding'), expected, encoding)
    }
  })
})
