/** The rows of all files of a dump. */
import { ImportError } from '../files/import-rows.ts'
import { streamImportRows } from '../files/import-stream.ts'
import type { DumpFile, DumpRow } from './dump-rows.ts'
import { readSql } from './read-sql.ts'

/** Those that are read; of others, such as users and their sessions, nothing is. */
export const TABLES = ['account', 'keypair', 'model', 'signinglog', 'substore'] as const

/** File by file. Throws {@link ImportError}. */
export async function* readDump(files: readonly DumpFile[]): AsyncGenerator<DumpRow> {
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
