/** The rows that an import reads from the register that it fills. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '../../../test/support/databases.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { inTransaction } from '../../database/index.ts'
import { newDevice } from '../new-device.ts'
import { registerImport, type StoredDevice, TRANSFER_BATCH } from './device-transfer-store.ts'

const BATCHES = 20

const deviceAt = (at: number): StoredDevice => {
  const name = {
    brandId: 'acme-brand',
    model: 'acme-classic',
    serial: `serial-${at}`,
    deviceKeyId: `key-${at}`,
  }
  const decided = { status: 'active', origin: 'import', registeredAt: new Date(0) } as const
  return { device: newDevice({ ...name, ...decided }), request: null, assertions: [], evidence: [] }
}

eachDatabase((_kind, open) => {
  test('a batch is compared only with devices that have its serials and keys, however many were added', async () => {
    const database = await open()
    await inTransaction(database.query, async (query) => {
      const register = registerImport({ query })
      for (let batch = 0; batch < BATCHES; batch++) {
        const devices = Array.from({ length: TRANSFER_BATCH }, (_, at) =>
          deviceAt(batch * TRANSFER_BATCH + at),
        )
        assert.equal((await register.add(devices)).size, TRANSFER_BATCH)
      }
      // Half of the devices exist; each is requested twice.
      const asked = Array.from({ length: TRANSFER_BATCH / 2 }, (_, at) => BATCHES * TRANSFER_BATCH - 250 + at)
      const twice = [...asked, ...asked]
      const found = {
        serials: () => register.bySerials(twice.map((at) => `serial-${at}`)),
        keys: () => register.byKeys(twice.map((at) => `key-${at}`)),
      }
      for (const [what, find] of Object.entries(found)) {
        const before = await rowsRead(query, 'device')
        const ids = (await find()).map(({ id }) => id)
        const read = (await rowsRead(query, 'device')) - before
        assert.equal(ids.length, 250, what)
        assert.deepEqual(ids, ids.toSorted().reverse(), 'newest first')
        assert.ok(read <= 2 * TRANSFER_BATCH, `${what}: ${read} rows of ${BATCHES * TRANSFER_BATCH}`)
      }
    })
  })
})
