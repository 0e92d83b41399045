import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BakeryError } from '@ratafia/macaroon/bakery'
import { changeOf } from '../../test/support/changes.ts'
import { eachDatabase } from '../../test/support/databases.ts'
import { withOwnKeyPairs } from '../identity/discharge/own-key-pairs.ts'
import { createKeyPairStore } from './key-pair-store.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { createRootKeyStore } from './root-key-store.ts'
import { rotate } from './rotate.ts'
import { createSealer } from './sealing.ts'

const secret = randomBytes(32)
const clock = () => new Date('2026-01-27T10:12:02.822Z')
/** Another node, which looks for new keys at once, or practically never. */
const eager = { refreshMs: -1, lookupMs: 0 }
const lazy = { refreshMs: 3_600_000, lookupMs: 0 }
const payload = Buffer.from('payload')

eachDatabase((_kind, open) => {
  const change = async () =>
    changeOf(await open(), (on) => ({
      rootKeys: createRootKeyStore(on, createSealer(secret)),
      keyPairs: createKeyPairStore(on, createSealer(secret)),
    }))
  const keyring = async (times = lazy) => openKeyring({ database: await open(), secret, clock, times })

  test('after a rotation what older keys made still resolves and opens, on every node', async () => {
    const one = await keyring()
    const old = await one.mintId('token')
    const oldText = await one.sealText('visit', payload)
    const [oldPair] = await one.dischargerKeyPairs()
    const added = await rotate(['root', 'discharger'], { keyring: one, change: await change() })
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
    const [root, pair] = await rotate(['root', 'discharger'], { keyring: one, change: await change() })
    const { id } = await other.mintId('token')
    assert.equal(Buffer.from(id).readUInt32BE(1), root?.id)
    assert.deepEqual((await other.dischargerKeyPairs())[0].publicKey, pair?.publicKey)
  })

  test('a node that has not seen a rotated pair opens what another node has sealed to it', async () => {
    const [one, other] = [await keyring(lazy), await keyring(lazy)]
    const [, pair] = await rotate(['root', 'discharger'], { keyring: one, change: await change() })
    const tried: (Uint8Array | undefined)[] = []
    await withOwnKeyPairs(other, async ([newest]) => {
      tried.push(newest?.publicKey)
      if (tried.length === 1) throw new BakeryError('public-key-mismatch', 'sealed to another public key')
    })
    assert.equal(tried.length, 2)
    assert.deepEqual(tried[1], pair?.publicKey)
    // What fits no key at all is refused, after one look.
    await assert.rejects(
      withOwnKeyPairs(other, async () => {
        throw new BakeryError('public-key-mismatch', 'sealed to a stranger')
      }),
      { code: 'public-key-mismatch' },
    )
  })

  test('five rotations at once on five nodes add five keys', async () => {
    const nodes = await Promise.all(Array.from({ length: 5 }, () => keyring()))
    const before = (await (nodes[0] as Keyring).list()).length
    const added = await Promise.all(nodes.map((node) => node.rotateRootKey()))
    assert.equal(new Set(added.map(({ id }) => id)).size, 5)
    const after = await (nodes[0] as Keyring).list()
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
