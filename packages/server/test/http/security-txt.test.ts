import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { testService } from '../support/service.ts'

const PATH = '/.well-known/security.txt'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, {
    RATAFIA_SECURITY_CONTACT: 'security@example.com,https://example.com/report',
  })

  test('security.txt names the contacts, and expires within a year', async () => {
    const answer = await fetch(`${service.baseUrl}${PATH}`)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    const text = await answer.text()
    const [, expires = ''] =
      /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: (.*)\nCanonical: http.*\/\.well-known\/security\.txt\n$/.exec(
        text,
      ) ?? assert.fail(text)
    const days = (Date.parse(expires) - service.now().getTime()) / 86_400_000
    assert.ok(days > 1 && days < 365, expires)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  test('without a contact, there is no security.txt', async () => {
    assert.equal((await fetch(`${service.baseUrl}${PATH}`)).status, 404)
  })
})
