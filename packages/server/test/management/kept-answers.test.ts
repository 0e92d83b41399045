/**
 * Tests the answer that is kept for an `Idempotency-Key`: who can get it again, and what a thief of the database gets.
 */
import assert from 'node:assert/strict'
import { createDecipheriv, getHashes, hash, hkdfSync } from 'node:crypto'
import { before, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { answerOnce } from '../../src/management/repeats/answer-once.ts'
import { addAcme } from '../support/brands.ts'
import { browserWith, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addManager, manage, managementToken, type SignedIn } from '../support/managers.ts'
import { narrowed, refusalOf, testService } from '../support/service.ts'

const KEYS = '/models/acme-brand/acme-classic/api-keys'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Whether the bytes are `nonce | ciphertext | tag` under this key. */
function opensWith(key: Uint8Array, sealed: Uint8Array): boolean {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Boolean(decipher.final())
  } catch {
    return false
  }
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  before(() => addAcme({ ...service.installation, clock: service.now }))

  let keys = 0
  const newKey = () => `factory-line-order-${String(++keys).padStart(6, '0')}`
  const make = (token: string, key: string) =>
    manage(service, token, 'POST', KEYS, { body: { label: key }, headers: { 'idempotency-key': key } })
  const made = async (token: string, key: string) => {
    const answer = await make(token, key)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.match(answer.body.key, /^ratafia_ak_/)
    return answer
  }
  const takeRole = ({ id: accountId }: Account) =>
    service.installation.grants.remove({ accountId, role: 'operator', brandId: undefined })

  /** Other callers of the account. `token` is the one that got the answer. */
  const OTHERS: Record<string, (account: Account, token: string) => Promise<string>> = {
    'a read-only token': (account) => managementToken(service, account, { read_only: true }),
    'a token for another role': (account) => managementToken(service, account, { roles: ['viewer'] }),
    'a token for another brand': (account) => managementToken(service, account, { brands: ['other'] }),
    'a copy that its holder narrowed': async (_, token) =>
      narrowed(token, 'manage {"roles":["viewer"],"read_only":true}'),
    'a copy that its holder narrowed to a brand': async (_, token) =>
      narrowed(token, 'manage {"brands":["acme-brand"]}'),
    'another session with the same rights': (account) => managementToken(service, account),
    'an agent': (account) => managementToken(service, account, {}, { signedIn: 'agent line-1' }),
    'a login of unknown kind': (account) => managementToken(service, account, {}, { signedIn: '' }),
    'the same token after its role was removed': async (account, token) => {
      await takeRole(account)
      return token
    },
  }

  for (const [who, tokenOf] of Object.entries(OTHERS)) {
    test(`Guarantee: the API's kept answer is not shown to ${who}`, async () => {
      const account = await addManager(service, 'operator')
      const token = await managementToken(service, account)
      const key = newKey()
      const { body } = await made(token, key)
      const again = await make(token, key)
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
      assert.equal(again.body.key, body.key)
      const other = await make(await tokenOf(account, token), key)
      assert.equal(refusalOf(other).code, 'idempotency-key-reused')
      assert.ok(!JSON.stringify(other.body).includes(body.key))
    })
  }

  test('an agent that logs in again gets the answer to the request of its earlier session', async () => {
    const account = await addManager(service, 'operator')
    const line: SignedIn = { signedIn: 'agent line-1' }
    const key = newKey()
    const { body } = await made(await managementToken(service, account, {}, line), key)
    const again = await make(await managementToken(service, account, {}, line), key)
    assert.deepEqual([again.status, again.body.key], [201, body.key])
    const other = await managementToken(service, account, {}, { signedIn: 'agent line-2' })
    assert.equal(refusalOf(await make(other, key)).code, 'idempotency-key-reused')
  })

  test('Guarantee: the kept page of a form in the console is shown only to the session that sent it', async () => {
    const account = await addManager(service, 'operator')
    const browserOf = async () =>
      browserWith(service, new Map([['ratafia-console', await managementToken(service, account)]]))
    const [mine, other] = [await browserOf(), await browserOf()]
    const path = '/console/models/acme-brand/acme-classic/api-keys/new'
    const page = await mine.get(path)
    const once = /name="once" value="([\w-]{22})"/.exec(page.text)?.[1] ?? assert.fail(textOf(page))
    const shown = await mine.submit(page, path, { label: 'line 7', once })
    const secret = /ratafia_ak_[\w-]{43}/.exec(shown.text)?.[0] ?? assert.fail(textOf(shown))
    assert.ok((await mine.submit(page, path, { label: 'line 7', once })).text.includes(secret))
    const elsewhere = await other.submit(await other.get(path), path, { label: 'line 7', once })
    assert.deepEqual([elsewhere.status, elsewhere.text.includes(secret)], [410, false])
  })

  test('Guarantee: without the keys of the service, guesses of an Idempotency-Key find and open nothing', async () => {
    const { installation } = service
    const account = await addManager(service, 'operator')
    const key = newKey()
    const { body } = await made(await managementToken(service, account), key)
    const { query } = installation.database
    const [row] = await query
      .selectFrom('idempotent_request')
      .selectAll()
      .where('account_id', '=', account.id)
      .execute()
    assert.ok(row?.sealed)
    const stored = JSON.stringify({ ...row, sealed: Buffer.from(row.sealed).toString('hex') })
    const plain = [key, `${account.id}${key}`, `${account.id} ${key}`]
    for (const algorithm of getHashes().filter((name) => /^sha\d/.test(name))) {
      for (const text of plain) {
        for (const encoding of ['hex', 'base64', 'base64url'] as const)
          assert.ok(!stored.includes(hash(algorithm, text, encoding)), `${algorithm} of the key`)
      }
    }
    assert.ok(!stored.includes(body.key) && !Buffer.from(row.sealed).includes(body.key))
    // Nor with a key derived from the Idempotency-Key and the account.
    const guessed = Buffer.from(hkdfSync('sha256', key, account.id, 'ratafia kept answer', 32))
    assert.ok(!opensWith(guessed, row.sealed))
    // With the same Idempotency-Key but the keys of a different installation, the request is a new one.
    const foreign = { ...installation.keyring, fingerprint: async () => row.key_hash }
    const asked = { accountId: account.id, key, digest: 'x' }
    const work = async () => ({ status: 200, headers: {}, body: '{}' })
    await assert.rejects(answerOnce(asked, work, { ...installation, keyring: foreign }), {
      code: 'idempotency-key-reused',
    })
  })
})
