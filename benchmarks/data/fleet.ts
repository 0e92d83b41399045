/** A register of many devices, filled by the operation of `devices import`. */
import { createHash } from 'node:crypto'
import { type InImport, importDevices } from '../../packages/server/src/devices/transfer/import-devices.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { opened } from './opened.ts'

/** The model of the imported devices, which the service does not have. */
export const FLEET = { brandId: 'acme-brand', model: 'fleet' } as const
const LINES = 1_000

export const serialOf = (index: number): string => `S-${index}`

export async function importFleet(installation: BenchInstallation, from: number, to: number): Promise<void> {
  await opened(installation, ({ inImport, clock, database }) =>
    importDevices(
      { source: { format: 'csv', open: () => csv(from, to) }, unknownModels: true },
      { inImport: inImport as InImport, clock },
    ).then(async () => {
      if (database.kind === 'postgres')
        await installation.postgres?.server.query('analyze', installation.postgres.database)
    }),
  )
}

async function* csv(from: number, to: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('brand_id,model,serial,device_key_id,status,revision,origin\n')
  for (let start = from; start < to; start += LINES) {
    const lines = Array.from({ length: Math.min(LINES, to - start) }, (_, at) => {
      const serial = serialOf(start + at)
      const key = createHash('sha384').update(serial).digest('base64url')
      return `${FLEET.brandId},${FLEET.model},${serial},${key},active,0,import`
    })
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
}
