/** Fills a register with many devices. */
import { createHash } from 'node:crypto'
import { newDeviceId } from '@ratafia/api'
import { importDevices } from '../../packages/server/src/devices/transfer/import-devices.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { copyRow } from './copies.ts'
import { type Opened, opened } from './opened.ts'

/** Devices that differ only in id, serial and key. The service does not know their model. */
export interface Fleet {
  readonly brandId: string
  readonly model: string
  readonly count: number
  readonly status?: 'active' | 'revoked'
  readonly quarantinedAt?: string
}

export const serialOf = (index: number): string => `S-${index}`
export const keyOf = (index: number): string =>
  createHash('sha384').update(serialOf(index)).digest('base64url')

/** Adds the fleets. The first device of each is imported from a file, as by `devices import`; the others are copies. */
export async function fillRegister(installation: BenchInstallation, fleets: readonly Fleet[]): Promise<void> {
  await opened(installation, async (on) => {
    let index = 0
    for (const fleet of fleets) {
      await importOne(fleet, index, on)
      const { id } = await on.database.query
        .selectFrom('device')
        .select('id')
        .where('serial', '=', serialOf(index))
        .executeTakeFirstOrThrow()
      const first = index + 1
      const own = ['id', 'serial', 'device_key_id']
      const template = { table: 'device', key: 'id', of: id, own } as const
      await copyRow(on.database, template, fleet.count - 1, (at) => {
        return [newDeviceId(new Date()), serialOf(first + at), keyOf(first + at)]
      })
      index += fleet.count
    }
  })
  await installation.postgres?.server.query('analyze', installation.postgres.database)
}

async function importOne(fleet: Fleet, index: number, installation: Opened): Promise<void> {
  const { brandId, model, status = 'active', quarantinedAt = '' } = fleet
  const values = [brandId, model, serialOf(index), keyOf(index), status, '0', 'import', quarantinedAt]
  const csv = `brand_id,model,serial,device_key_id,status,revision,origin,quarantined_at\n${values.join(',')}\n`
  await importDevices(
    {
      source: {
        format: 'csv',
        open: async function* () {
          yield Buffer.from(csv)
        },
      },
      unknownModels: true,
      authority: installation.authority,
    },
    installation,
  )
}
