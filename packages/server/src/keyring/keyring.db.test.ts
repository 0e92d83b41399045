import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'
import { openKeyring } from './keyring.ts'

const secret = randomBytes(32)
const clock = () => new Date('2026-01-27T10:12:02.822Z')
const payload = Buffer.from('payload')

eachDatabase((_kind, open) => {
  const keyring = async () => openKeyring({ database: await open(), secret, clock, times: { lookupMs: 0 } })

  test('ten keyrings that open a fresh database at once create one key of each kind', async () => {
    const keyrings = await Promise.all(Array.from({ length: 10 }, () => keyring()))
    const lists = await Promise.all(keyrings.map((one) => one.list()))
    assert.deepEqual(
      lists[0]?.map(({ kind, active }) => ({ kind, active })),
      [
        { kind: 'root', active: true },
        { kind: 'discharger', active: true },
        { kind: 'issuer', active: true },
      ],
    )
    for (const other of lists) assert.deepEqual(other, lists[0])
    const publicKeys = await Promise.all(keyrings.map(async (one) => (await one.sealingKeyPair()).publicKey))
    assert.equal(new Set(publicKeys.map((key) => Buffer.from(key).toString('hex'))).size, 1)
  })

  for (const [kind, given] of [
    ['token-root', payload],
    ['token', new Uint8Array()],
    ['agent-login', payload],
  ] as const) {
    test(`a minted ${kind} id resolves on every node to its kind, payload and root key`, async () => {
      const { id, rootKey } = await (await keyring()).mintId(kind, given)
      const resolved = await (await keyring()).resolve(id)
      assert.deepEqual(resolved, { kind, payload: Buffer.from(given), rootKey, isText: false })
      assert.equal(rootKey.length, 32)
      // A version 1 macaroon has its identifier as text.
      const text = Buffer.from(Buffer.from(id).toString('base64url'))
      assert.deepEqual(await (await keyring()).resolve(text), { ...resolved, isText: true })
    })
  }

  test('never mints the same id or root key twice', async () => {
    const one = await keyring()
    const minted = await Promise.all(Array.from({ length: 50 }, () => one.mintId('token')))
    assert.equal(new Set(minted.map(({ id }) => Buffer.from(id).toString('hex'))).size, 50)
    assert.equal(new Set(minted.map(({ rootKey }) => Buffer.from(rootKey).toString('hex'))).size, 50)
  })

  test('an id with any byte changed resolves to a different root key or not at all', async () => {
    const one = await keyring()
    const { id, rootKey } = await one.mintId('token-root', payload)
    for (let index = 0; index < id.length; index++) {
      const tampered = Buffer.from(id)
      tampered[index] = (tampered[index] as number) ^ 1
      const resolved = await one.resolve(tampered)
      assert.ok(!resolved || !Buffer.from(resolved.rootKey).equals(rootKey), `byte ${index}`)
    }
  })

  test('returns undefined for an id of an unknown kind, a wrong length or an unknown key', async () => {
    const one = await keyring()
    const { id } = await one.mintId('token')
    const withKey = (keyId: number) => {
      const other = Buffer.from(id)
      other.writeUInt32BE(keyId, 1)
      return other
    }
    const bad = {
      empty: Buffer.alloc(0),
      'unknown kind': Buffer.concat([Buffer.of(0x10), id.subarray(1)]),
      'a byte short': id.subarray(0, -1),
      'a byte long': Buffer.concat([id, Buffer.of(0)]),
      'root too long': Buffer.concat([Buffer.of(0x11), id.subarray(1), Buffer.alloc(3052)]),
      'key 0': withKey(0),
      'next key': withKey(2),
      'far key': withKey(5_000),
      'greatest key': withKey(0xffffffff),
    }
    for (const [what, unverified] of Object.entries(bad)) {
      assert.equal(await one.resolve(unverified), undefined, what)
    }
  })

  test("a payload that is too long for its kind is the caller's mistake", async () => {
    const one = await keyring()
    await assert.rejects(one.mintId('token', payload), {
      name: 'TypeError',
      message: 'A token macaroon accepts a payload of at most 0 bytes, not 7.',
    })
    assert.equal((await one.mintId('token-root', Buffer.alloc(3051))).id.length, 3072)
    await assert.rejects(one.mintId('token-root', Buffer.alloc(3052)), TypeError)
  })

  test('a sealed text opens for its purpose on every node and does not reveal its content', async () => {
    const text = await (await keyring()).sealText('visit', payload)
    assert.match(text, /^[A-Za-z0-9_-]+$/)
    assert.ok(!Buffer.from(text, 'base64url').includes(payload))
    const other = await keyring()
    assert.deepEqual(await other.openText('visit', text), payload)
    assert.equal(await other.openText('wait', text), undefined)
    assert.notEqual(await other.sealText('visit', payload), text)
  })

  test('returns undefined for a sealed text that was changed, cut, lengthened or respelled', async () => {
    const one = await keyring()
    const text = await one.sealText('visit', payload)
    const bytes = Buffer.from(text, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      // The four bytes of the key id name other keys, which the end of this test covers.
      if (bit >= 8 && bit < 40) continue
      const tampered = Buffer.from(bytes)
      tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7))
      assert.equal(await one.openText('visit', tampered.toString('base64url')), undefined, `bit ${bit}`)
    }
    for (let length = 0; length < text.length; length++) {
      assert.equal(await one.openText('visit', text.slice(0, length)), undefined, `${length} characters`)
    }
    for (const other of [
      `${text}A`,
      `${text}=`,
      ` ${text}`,
      `${text}\n`,
      text.replace(/./, '+'),
      `${text}é`,
    ]) {
      assert.equal(await one.openText('visit', other), undefined, other)
    }
    const otherKey = Buffer.from(bytes)
    otherKey.writeUInt32BE(2, 1)
    assert.equal(await one.openText('visit', otherKey.toString('base64url')), undefined)
  })

  test('refuses another secret at start, and names its variable', async () => {
    await keyring()
    const database = await open()
    await assert.rejects(openKeyring({ database, secret: randomBytes(32), clock }), {
      name: 'KeyringError',
      code: 'wrong-secret',
      message: /Set RATAFIA_SECRET_KEY \(or the file that RATAFIA_SECRET_KEY_FILE names\)/,
    })
  })
})
