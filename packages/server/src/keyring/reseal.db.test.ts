/** A change of the secret key is one transaction: all sealed values, and the entry that records it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { deciding } from '../../test/support/authorities.ts'
import { eachDatabase } from '../../test/support/databases.ts'
import { storesOf } from '../../test/support/stores.ts'
import { auditStore } from '../audit/audit-store.ts'
import type { ChangingBy } from '../change.ts'
import { openKeyring } from './keyring.ts'
import { reseal } from './reseal.ts'
import { sealedValueStore } from './sealed-value-store.ts'
import { createSealer } from './sealing.ts'

const [old, now] = [randomBytes(32), randomBytes(32)]
const both = createSealer({ current: now, previous: old })
const authority = deciding()
const clock = () => new Date('2026-01-27T10:12:02.822Z')

eachDatabase((_kind, open) => {
  const changes = async (): Promise<ChangingBy> => storesOf(await open()).changeBy
  const sealed = async () =>
    (await sealedValueStore(await open()).all()).map((value) => Buffer.from(value.sealed))
  const entries = async () =>
    (await auditStore(await open()).list({ action: 'secret.rotate' }, { limit: 10 })).map(
      ({ subject, details }) => ({ subject, details: JSON.parse(details) }),
    )

  test('leaves every value unchanged if it fails before its entry is stored', async () => {
    await openKeyring({ database: await open(), secret: old, clock })
    const before = await sealed()
    const changeBy = await changes()
    const record = async () => {
      throw new Error('the machine stopped')
    }
    const stopping: typeof changeBy = (author) => (work) => changeBy(author)((on) => work({ ...on, record }))
    await assert.rejects(reseal({ sealer: both, authority }, { changeBy: stopping }), /the machine stopped/)
    assert.deepEqual(await sealed(), before)
    assert.deepEqual(await entries(), [])
    await openKeyring({ database: await open(), secret: old, clock })
  })

  test('two concurrent runs reseal each value once, with one entry, and a third changes nothing', async () => {
    const results = await Promise.all(
      [await changes(), await changes()].map((changeBy) => reseal({ sealer: both, authority }, { changeBy })),
    )
    assert.deepEqual(results.map(({ resealed }) => resealed).sort(), [0, 4])
    const [current = '', previous = ''] = both.keyIds()
    const entry = { subject: current, details: { previous, resealed: 4, unchanged: 0, unreadable: [] } }
    assert.deepEqual(await entries(), [entry])
    const after = await sealed()
    assert.deepEqual(await reseal({ sealer: both, authority }, { changeBy: await changes() }), {
      resealed: 0,
      unchanged: 4,
      unreadable: [],
    })
    assert.deepEqual([await sealed(), await entries()], [after, [entry]])
    await openKeyring({ database: await open(), secret: now, clock })
  })
})
