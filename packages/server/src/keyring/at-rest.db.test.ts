import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { eachDatabase } from '../../test/support/databases.ts'
import type { Database } from '../database/index.ts'
import { openKeyring } from './keyring.ts'

const secret = randomBytes(32)
const clock = () => new Date('2026-01-27T10:12:02.822Z')

eachDatabase((_kind, open) => {
  test('the tables contain no secret in plain text', async () => {
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
      (await one.sealingKeyPair()).privateKey,
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

  test('refuses a root key that was changed in the database, and names its id', async () => {
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

  test('refuses a foreign public key in place of ours, and does not advertise it', async () => {
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

  test('refuses a sealed private key that was moved to another row or given a different purpose', async () => {
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

  test('while the database is unavailable, known ids still resolve and nothing is minted', async () => {
    const database = await open()
    const one = await openKeyring({ database, secret, clock, times: { refreshMs: -1, lookupMs: 0 } })
    const { id, rootKey } = await one.mintId('token')
    await database.close()
    assert.deepEqual((await one.resolve(id))?.rootKey, rootKey)
    await assert.rejects(one.mintId('token'))
  })
})
