import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BakeryError } from '@ratafia/macaroon/bakery'
import { deciding } from '../../test/support/authorities.ts'
import { eachDatabase, oneDatabase } from '../../test/support/databases.ts'
import { storesOf } from '../../test/support/stores.ts'
import { withOwnKeyPairs } from '../identity/discharge/own-key-pairs.ts'
import { deriveKey } from './derive.ts'
import { createRootKeyStore } from './key-store.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { rotate } from './rotate.ts'
import { createSealer } from './sealing.ts'

const secret = randomBytes(32)
const clock = () => new Date('2026-01-27T10:12:02.822Z')
/** The times of a node that looks for new keys immediately, and of one that practically never does. */
const eager = { refreshMs: -1, lookupMs: 0 }
const lazy = { refreshMs: 3_600_000, lookupMs: 0 }
const payload = Buffer.from('payload')

eachDatabase((_kind, open) => {
  const changing = async (one: Keyring) =>
    storesOf(await open(), { keyring: one, sealer: createSealer(secret) })
  const keyring = async (times = lazy) => openKeyring({ database: await open(), secret, clock, times })

  test('after a rotation, ids and sealed texts of older keys still resolve and open on every node', async () => {
    const one = await keyring()
    const old = await one.mintId('token')
    const oldText = await one.sealText('visit', payload)
    const [oldPair] = await one.dischargerKeyPairs()
    const added = await rotate({ kinds: ['root', 'discharger'], authority: deciding() }, await changing(one))
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

  test('a node that read its keys long ago resolves an id of a key added just now', async () => {
    const [one, other] = [await keyring(lazy), await keyring(lazy)]
    const before = await other.mintId('token')
    await one.rotateRootKey()
    const minted = await one.mintId('token')
    const text = await one.sealText('visit', payload)
    assert.deepEqual((await other.resolve(minted.id))?.rootKey, minted.rootKey)
    assert.deepEqual(await other.openText('visit', text), payload)
    assert.deepEqual((await other.resolve(before.id))?.rootKey, before.rootKey)
  })

  test('a node mints with a rotated key and advertises a rotated pair once its own are old', async () => {
    const [one, other] = [await keyring(lazy), await keyring(eager)]
    const [root, pair] = await rotate(
      { kinds: ['root', 'discharger'], authority: deciding() },
      await changing(one),
    )
    const { id } = await other.mintId('token')
    assert.equal(Buffer.from(id).readUInt32BE(1), root?.id)
    assert.deepEqual((await other.dischargerKeyPairs())[0].publicKey, pair?.publicKey)
  })

  test('a node that has not seen a rotated pair opens a caveat sealed to it', async () => {
    const [one, other] = [await keyring(lazy), await keyring(lazy)]
    const [, pair] = await rotate(
      { kinds: ['root', 'discharger'], authority: deciding() },
      await changing(one),
    )
    const tried: (Uint8Array | undefined)[] = []
    await withOwnKeyPairs(other, async ([newest]) => {
      tried.push(newest?.publicKey)
      if (tried.length === 1) throw new BakeryError('public-key-mismatch', 'sealed to a different public key')
    })
    assert.equal(tried.length, 2)
    assert.deepEqual(tried[1], pair?.publicKey)
    // A caveat for an unknown key is refused after one look-up.
    await assert.rejects(
      withOwnKeyPairs(other, async () => {
        throw new BakeryError('public-key-mismatch', 'sealed to a stranger')
      }),
      { code: 'public-key-mismatch' },
    )
  })

  test('five concurrent rotations on five nodes add five keys', async () => {
    const nodes = await Promise.all(Array.from({ length: 5 }, () => keyring()))
    const before = (await (nodes[0] as Keyring).list()).length
    const added = await Promise.all(nodes.map((node) => node.rotateRootKey()))
    assert.equal(new Set(added.map(({ id }) => id)).size, 5)
    const after = await (nodes[0] as Keyring).list()
    assert.equal(after.length, before + 5)
    assert.equal(after.filter(({ active }) => active).length, 3)
  })

  test('an identifier and a sealed text from before there was a check still resolve and open', async () => {
    const [one, other] = [await keyring(), await keyring()]
    const database = await open()
    const [row] = await createRootKeyStore(database, createSealer(secret)).newerThan(0)
    assert.ok(row)
    const id = Buffer.concat([Buffer.of(0x11, 0, 0, 0, row.id), randomBytes(16), payload])
    for (const node of [one, other]) {
      assert.deepEqual(await node.resolve(id), {
        kind: 'token-root',
        payload,
        rootKey: deriveKey(row.secret, 'ratafia macaroon root key', id),
        isText: false,
      })
    }
  })
})

eachDatabase((_kind, open) => {
  test('refuses made-up identifiers and sealed texts without the database; genuine ones of a new key need it', async () => {
    const [database, elsewhere] = [await open(), await open()]
    const one = await openKeyring({ database, secret, clock, times: lazy })
    const other = await openKeyring({ database: elsewhere, secret, clock, times: lazy })
    const old = await other.mintId('token-root', payload)
    const oldText = Buffer.from(await other.sealText('visit', payload), 'base64url')
    await other.rotateRootKey()
    const minted = await other.mintId('token-root', payload)
    const text = Buffer.from(await other.sealText('visit', payload), 'base64url')
    await database.close()
    for (let ahead = 1; ahead <= 1_000; ahead++) {
      for (const like of [old.id, minted.id]) {
        const id = Buffer.concat([like.subarray(0, 5), randomBytes(16), like.subarray(21)])
        id.writeUInt32BE(1 + ahead, 1)
        assert.equal(await one.resolve(id), undefined)
      }
      const id = Buffer.from(old.id)
      id.writeUInt32BE(1 + ahead, 1)
      assert.equal(await one.resolve(id), undefined)
      const sealed = Buffer.from(oldText)
      sealed.writeUInt32BE(1 + ahead, 1)
      assert.equal(await one.openText('visit', sealed.toString('base64url')), undefined)
    }
    for (let index = 5; index < minted.id.length; index++) {
      const tampered = Buffer.from(minted.id)
      tampered[index] = (tampered[index] as number) ^ 1
      assert.equal(await one.resolve(tampered), undefined, `byte ${index}`)
    }
    // The salt is the only part of a sealed text that is checked before its key is known.
    for (let index = 5; index < 21; index++) {
      const tampered = Buffer.from(text)
      tampered[index] = (tampered[index] as number) ^ 1
      assert.equal(await one.openText('visit', tampered.toString('base64url')), undefined, `byte ${index}`)
    }
    await assert.rejects(one.resolve(minted.id))
    await assert.rejects(one.openText('visit', text.toString('base64url')))
  })
})

oneDatabase((_kind, open) => {
  test('caveats sealed to an unknown key pair make a few requests wait, and others are refused', async () => {
    const one = await openKeyring({ database: await open(), secret, clock, times: lazy })
    const looked = await Promise.all(Array.from({ length: 100 }, () => one.lookForKeyPairs()))
    assert.equal(looked.filter(Boolean).length, 32)
    assert.equal(await one.lookForKeyPairs(), true)
    const full: Keyring = { ...one, lookForKeyPairs: async () => false }
    await assert.rejects(
      withOwnKeyPairs(full, async () => {
        throw new BakeryError('public-key-mismatch', 'sealed to a stranger')
      }),
      { code: 'service-unavailable' },
    )
  })
})
