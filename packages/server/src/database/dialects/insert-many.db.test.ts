import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../../../test/support/databases.ts'
import { isRefusedValue } from '../index.ts'
import { insertMany } from './insert-many.ts'

eachDatabase((_kind, open) => {
  const row = (id: string, more: { serial?: string; request?: Uint8Array | null } = {}) => ({
    ...{
      id,
      bucket: 7,
      brand_id: 'brand',
      model: 'model',
      serial: id,
      device_key_id: id,
      status: 'active' as const,
    },
    ...{ origin: 'import' as const, registered_at: 1_767_225_600_123, request: null, ...more },
  })

  test('returns values unchanged: strings, bytes, numbers and nulls', async () => {
    const { query } = await open()
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const rows = [row('a', { serial: `"\\'{}\u2028é日` }), row('b', { request: bytes })]
    await insertMany(query, 'device', rows).execute()
    const stored = await query.selectFrom('device').selectAll().orderBy('id').execute()
    const compared = stored.map(({ serial, registered_at, request, reason }) => ({
      ...{ serial, registered_at: Number(registered_at), request: request && [...request], reason },
    }))
    assert.deepEqual(compared, [
      { serial: `"\\'{}\u2028é日`, registered_at: 1_767_225_600_123, request: null, reason: null },
      { serial: 'b', registered_at: 1_767_225_600_123, request: [...bytes], reason: null },
    ])
  })

  test('can leave out rows that conflict', async () => {
    const { query } = await open()
    await insertMany(query, 'device', [row('c')]).execute()
    const added = await insertMany(query, 'device', [row('c'), row('d')])
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
    assert.deepEqual(added, [{ id: 'd' }])
  })

  for (const serial of ['a\0b', 'a\ud800b']) {
    test(`refuses text that a database cannot store: ${JSON.stringify(serial)}`, async () => {
      const { query } = await open()
      await assert.rejects(
        async () => insertMany(query, 'device', [row('e', { serial })]).execute(),
        isRefusedValue,
      )
      assert.deepEqual(await query.selectFrom('device').select('id').where('id', '=', 'e').execute(), [])
    })
  }
})
