/** Finds the files of a serial-vault dump. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { DumpFile } from '../../../serial-vault/dump-rows.ts'
import { TABLES } from '../../../serial-vault/read-dump.ts'
import { UsageError } from '../../context.ts'
import { cannotBeRead } from '../../files.ts'

/** One file, or the files of a directory that are named after a table. Throws `FileError` or {@link UsageError}. */
export async function filesAt(path: string): Promise<readonly DumpFile[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(path, error)
  })
  if (!found.isDirectory()) return [fileAt(path)]
  const names = (await readdir(path)).filter((name) => tableOf(name) !== undefined)
  if (names.length > 0) return names.sort().map((name) => fileAt(join(path, name)))
  throw new UsageError(`${path} has none of ${TABLES.map((table) => `${table}.csv`).join(', ')}.`)
}

function fileAt(path: string): DumpFile {
  const open = () => createReadStream(path)
  if (extname(path).toLowerCase() !== '.csv') return { name: path, form: 'sql', open }
  const table = tableOf(path)
  if (table !== undefined) return { name: path, form: 'csv', table, open }
  throw new UsageError(`${path} is not named by a table: ${TABLES.map((name) => `${name}.csv`).join(', ')}.`)
}

const tableOf = (path: string): string | undefined =>
  TABLES.find((table) => `${table}.csv` === basename(path).toLowerCase())
