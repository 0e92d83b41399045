/** Reads the files of a dump into rows by table. */
import { ImportError } from '../files/import-rows.ts'
import { streamImportRows } from '../files/import-stream.ts'
import type { DumpFile, DumpRow } from './dump-rows.ts'
import { readSql } from './read-sql.ts'
import { readSignature, SigningLog } from './signing-log.ts'

/** The tables that are read. Others, such as users and their sessions, are ignored. */
export const TABLES = ['account', 'keypair', 'model', 'signinglog', 'substore'] as const

export interface Dump {
  readonly accounts: readonly DumpRow[]
  readonly keypairs: readonly DumpRow[]
  readonly models: readonly DumpRow[]
  readonly substores: readonly DumpRow[]
  readonly log: SigningLog
  /** A sentence for each row of the log that can't be a device. */
  readonly unreadable: readonly string[]
}

/** Treats signatures without a time as made `now`. Throws {@link ImportError}. */
export async function readDump(files: readonly DumpFile[], now: Date): Promise<Dump> {
  const rows = { account: [], keypair: [], model: [], substore: [] } as Record<string, DumpRow[]>
  const log = new SigningLog()
  const unreadable: string[] = []
  for await (const row of rowsOf(files)) {
    if (row.table !== 'signinglog') {
      rows[row.table]?.push(row)
      continue
    }
    const signature = readSignature(row, now)
    if (typeof signature === 'string') unreadable.push(signature)
    else log.add(signature)
  }
  const { account = [], keypair = [], model = [], substore = [] } = rows
  return { accounts: account, keypairs: keypair, models: model, substores: substore, log, unreadable }
}

async function* rowsOf(files: readonly DumpFile[]): AsyncGenerator<DumpRow> {
  for (const file of files) {
    if (file.form === 'sql') yield* readSql(file, TABLES)
    else yield* readCsv(file)
  }
}

async function* readCsv({ name, table = '', open }: DumpFile): AsyncGenerator<DumpRow> {
  try {
    for await (const { place, fields } of streamImportRows({ format: 'csv', open })) {
      const texts = Object.entries(fields).map(([column, value]) => [
        column,
        typeof value === 'string' ? value : null,
      ])
      yield { table, place: `${name}, ${place}`, fields: Object.fromEntries(texts) }
    }
  } catch (error) {
    throw error instanceof ImportError ? new ImportError(`${name}: ${error.message}`) : error
  }
}
