import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { eachDatabase } from '../../test/support/databases.ts'
import type { Database } from '../database/index.ts'
import { openKeyring } from './keyring.ts'
import { list } from './list.ts'
import { ROTATABLE, rotate } from './rotate.ts'

const secret = randomBytes(32)
const clock = () => new Date('2026-01-27T10:12:02.822Z')
/** Another node, which looks for new keys at once, or practically never. */
const eager = { refreshMs: -1, lookupMs: 0 }
const lazy = { refreshMs: 3_600_000, lookupMs: 0 }
const payload = Buffer.from('payload')

eachDatabase((_kind, open) => {
  const keyring = async (times = lazy, database?: Database) =>
    openKeyring({ database: database ?? (await open()), secret, clock, times })

  test('ten keyrings that open a fresh database at once create one key of each kind', async () => {
    const keyrings = await Promise.all(Array.from({ length: 10 }, () => keyring()))
    const lists = await Promise.all(keyrings.map((one) => list({ keyring: one })))
    assert.deepEqual(
      lists[0]?.map(({ kind, active }) => ({ kind, active })),
      [
        { kind: 'root', active: true },
        { kind: 'discharger', active: true },
        { kind: 'issuer', active: true },
      ],
    )
    for (const other of lists) assert.deepEqual(other, lists[0])
    const publicKeys = await Promise.all(keyrings.map(async (one) => (await one.issuerKeyPair()).publicKey))
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
      assert.deepEqual(resolved, { kind, payload: Buffer.from(given), rootKey })
      assert.equal(rootKey.length, 32)
    })
  }

  test('two ids are never the same, nor are their root keys', async () => {
    const one = await keyring()
    const minted = await Promise.all(Array.from({ length: 50 }, () => one.mintId('token')))
    assert.equal(new Set(minted.map(({ id }) => Buffer.from(id).toString('hex'))).size, 50)
    assert.equal(new Set(minted.map(({ rootKey }) => Buffer.from(rootKey).toString('hex'))).size, 50)
  })

  test('an id with any byte changed resolves to another root key, or not at all', async () => {
    const one = await keyring()
    const { id, rootKey } = await one.mintId('token-root', payload)
    for (let index = 0; index < id.length; index++) {
      const tampered = Buffer.from(id)
      tampered[index] = (tampered[index] as number) ^ 1
      const resolved = await one.resolve(tampered)
      assert.ok(!resolved || !Buffer.from(resolved.rootKey).equals(rootKey), `byte ${index}`)
    }
  })

  test('an id of an unknown kind, a wrong length or an unknown key is undefined', async () => {
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
      'root too long': Buffer.concat([Buffer.of(0x11), id.subarray(1), Buffer.alloc(1004)]),
      'key 0': withKey(0),
      'next key': withKey(2),
      'far key': withKey(5_000),
      'greatest key': withKey(0xffffffff),
    }
    for (const [what, unverified] of Object.entries(bad)) {
      assert.equal(await one.resolve(unverified), undefined, what)
    }
  })

  test('a payload longer than its kind takes is the mistake of the caller', async () => {
    const one = await keyring()
    await assert.rejects(one.mintId('token', payload), {
      name: 'TypeError',
      message: 'A token macaroon takes a payload of 0 bytes, not 7.',
    })
    assert.equal((await one.mintId('token-root', Buffer.alloc(1003))).id.length, 1024)
    await assert.rejects(one.mintId('token-root', Buffer.alloc(1004)), TypeError)
  })

  test('a sealed text opens for its purpose on every node, and shows nothing of what it holds', async () => {
    const text = await (await keyring()).sealText('visit', payload)
    assert.match(text, /^[A-Za-z0-9_-]+$/)
    assert.ok(!Buffer.from(text, 'base64url').includes(payload))
    const other = await keyring()
    assert.deepEqual(await other.openText('visit', text), payload)
    assert.equal(await other.openText('wait', text), undefined)
    assert.notEqual(await other.sealText('visit', payload), text)
  })

  test('a sealed text that was changed, cut, lengthened or respelled is undefined', async () => {
    const one = await keyring()
    const text = await one.sealText('visit', payload)
    const bytes = Buffer.from(text, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      // The four bytes of the key id: other keys, looked up elsewhere.
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

  test('another secret is refused at start, by the name of its variable', async () => {
    await keyring()
    const database = await open()
    await assert.rejects(openKeyring({ database, secret: randomBytes(32), clock }), {
      name: 'KeyringError',
      code: 'wrong-secret',
      message: /Set RATAFIA_SECRET_KEY \(or the file that RATAFIA_SECRET_KEY_FILE names\)/,
    })
  })
})

eachDatabase((_kind, open) => {
  const keyring = async (times = lazy) => openKeyring({ database: await open(), secret, clock, times })

  test('after a rotation what older keys made still resolves and opens, on every node', async () => {
    const one = await keyring()
    const old = await one.mintId('token')
    const oldText = await one.sealText('visit', payload)
    const [oldPair] = await one.dischargerKeyPairs()
    const added = await rotate(ROTATABLE, { keyring: one })
    assert.deepEqual(
      added.map(({ kind, active, createdAt }) => ({ kind, active, createdAt })),
      [
        { kind: 'root', active: true, createdAt: clock() },
        { kind: 'discharger', active: true, createdAt: clock() },
      ],
    )
    const minted = await one.mintId('token')
    assert.notDeepEqual(minted.id.subarray(1, 5), old.id.subarray(1, 5))
    for (const node of [one, await keyring()]) {
      assert.deepEqual((await node.resolve(old.id))?.rootKey, old.rootKey)
      assert.deepEqual((await node.resolve(minted.id))?.rootKey, minted.rootKey)
      assert.deepEqual(await node.openText('visit', oldText), payload)
      const [newest, ...older] = await node.dischargerKeyPairs()
      assert.deepEqual(newest.publicKey, added[1]?.publicKey)
      assert.deepEqual(older, [oldPair])
    }
  })

  test('a node that read its keys long ago resolves an id of a key that was added just now', async () => {
    const [one, other] = [await keyring(lazy), await keyring(lazy)]
    const before = await other.mintId('token')
    await one.rotateRootKey()
    const minted = await one.mintId('token')
    const text = await one.sealText('visit', payload)
    assert.deepEqual((await other.resolve(minted.id))?.rootKey, minted.rootKey)
    assert.deepEqual(await other.openText('visit', text), payload)
    assert.deepEqual((await other.resolve(before.id))?.rootKey, before.rootKey)
  })

  test('a node mints with a rotated key, and advertises a rotated pair, once its own are old', async () => {
    const [one, other] = [await keyring(lazy), await keyring(eager)]
    const [root, pair] = await rotate(['root', 'discharger'], { keyring: one })
    const { id } = await other.mintId('token')
    assert.equal(Buffer.from(id).readUInt32BE(1), root?.id)
    assert.deepEqual((await other.dischargerKeyPairs())[0].publicKey, pair?.publicKey)
  })

  test('five rotations at once on five nodes add five keys', async () => {
    const nodes = await Promise.all(Array.from({ length: 5 }, () => keyring()))
    const before = (await list({ keyring: nodes[0] as (typeof nodes)[0] })).length
    const added = await Promise.all(nodes.map((node) => node.rotateRootKey()))
    assert.equal(new Set(added.map(({ id }) => id)).size, 5)
    const after = await list({ keyring: nodes[0] as (typeof nodes)[0] })
    assert.equal(after.length, before + 5)
    assert.equal(after.filter(({ active }) => active).length, 3)
  })

  test('hostile ids of keys that do not exist cost one query for each second, whoever sends them', async () => {
    const database = await open()
    const one = await openKeyring({ database, secret, clock, times: { refreshMs: 3_600_000, lookupMs: 200 } })
    const { id } = await one.mintId('token')
    const unknown = Buffer.from(id)
    unknown.writeUInt32BE(unknown.readUInt32BE(1) + 100, 1)
    const started = performance.now()
    for (let round = 0; round < 3; round++) {
      const resolved = await Promise.all(Array.from({ length: 100 }, () => one.resolve(unknown)))
      assert.ok(resolved.every((result) => result === undefined))
    }
    assert.ok(performance.now() - started > 395)
  })
})

eachDatabase((_kind, open) => {
  test('the tables hold nothing of a secret in the open', async () => {
    const { query } = await open()
    const one = await openKeyring({ database: await open(), secret, clock })
    const rows = [
      ...(await query.selectFrom('root_key').select('sealed').execute()).map(({ sealed }) => sealed),
      ...(await query.selectFrom('key_pair').select('sealed_private_key').execute()).map(
        (r) => r.sealed_private_key,
      ),
      ...(await query.selectFrom('seal_check').select('sealed').execute()).map(({ sealed }) => sealed),
    ].map((bytes) => Buffer.from(bytes))
    assert.equal(rows.length, 4)
    const secrets = [
      secret,
      (await one.issuerKeyPair()).privateKey,
      (await one.dischargerKeyPairs())[0].privateKey,
    ]
    for (const hidden of secrets) {
      for (const row of rows) assert.ok(!row.includes(Buffer.from(hidden).subarray(0, 4)))
    }
  })

  const tampered = async (
    change: (database: Database) => Promise<unknown>,
    restore: () => Promise<unknown>,
  ) => {
    const database = await open()
    await change(database)
    const error = await openKeyring({ database, secret, clock }).catch((cause: unknown) => cause)
    await restore()
    return error
  }

  test('a root key that was changed in the database is refused by its id', async () => {
    const { query } = await open()
    const { sealed } = await query.selectFrom('root_key').selectAll().executeTakeFirstOrThrow()
    const flipped = Buffer.from(sealed)
    flipped[20] = (flipped[20] as number) ^ 1
    const error = await tampered(
      (database) => database.query.updateTable('root_key').set({ sealed: flipped }).execute(),
      () => query.updateTable('root_key').set({ sealed }).execute(),
    )
    assert.ok(error instanceof Error && 'code' in error)
    assert.equal(error.code, 'damaged-key')
    assert.match(error.message, /^Root key 1 in the database was changed/)
  })

  test('a public key put in the place of ours is refused, not advertised', async () => {
    const { query } = await open()
    const pair = await query.selectFrom('key_pair').selectAll().where('id', '=', 2).executeTakeFirstOrThrow()
    const foreign = keyPairFromPrivateKey(randomBytes(32)).publicKey
    const error = await tampered(
      ({ query }) => query.updateTable('key_pair').set({ public_key: foreign }).where('id', '=', 2).execute(),
      () => query.updateTable('key_pair').set({ public_key: pair.public_key }).where('id', '=', 2).execute(),
    )
    assert.ok(error instanceof Error && 'code' in error)
    assert.equal(error.code, 'damaged-key')
    assert.match(error.message, /^Key pair 2 in the database was changed/)
  })

  test('a sealed private key moved to another row, or given another purpose, is refused', async () => {
    const { query } = await open()
    const pairs = await query.selectFrom('key_pair').selectAll().orderBy('id').execute()
    const [issuer, discharger] = pairs
    assert.ok(issuer && discharger)
    const restore = async () => {
      await query.deleteFrom('key_pair').where('id', '>=', 1).execute()
      await query.insertInto('key_pair').values(pairs).execute()
    }
    const moved = { public_key: issuer.public_key, sealed_private_key: issuer.sealed_private_key }
    for (const set of [moved, { purpose: 'issuer' as const }]) {
      const error = await tampered(
        ({ query }) => query.updateTable('key_pair').set(set).where('id', '=', discharger.id).execute(),
        restore,
      )
      assert.ok(error instanceof Error && 'code' in error)
      assert.equal(error.code, 'damaged-key')
    }
    await openKeyring({ database: await open(), secret, clock })
  })

  test('when the database is away, known ids still resolve and nothing is made up about others', async () => {
    const database = await open()
    const one = await openKeyring({ database, secret, clock, times: { refreshMs: -1, lookupMs: 0 } })
    const { id, rootKey } = await one.mintId('token')
    const unknown = Buffer.from(id)
    unknown.writeUInt32BE(unknown.readUInt32BE(1) + 1, 1)
    await database.close()
    assert.deepEqual((await one.resolve(id))?.rootKey, rootKey)
    await assert.rejects(one.resolve(unknown))
    await assert.rejects(one.mintId('token'))
  })
})
