/** Finds the files of a serial-vault dump. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { DumpFile } from '../../serial-vault/dump-rows.ts'
import { TABLES } from '../../serial-vault/read-dump.ts'
import { type Streams, UsageError } from '../context.ts'
import { withEach, withLocalFile } from '../files/local-file.ts'

/** Calls `work` with the files at each path. Throws `FileError` or {@link UsageError}. */
export const withFilesAt = <T>(
  paths: readonly string[],
  streams: Streams,
  work: (files: readonly DumpFile[]) => Promise<T>,
): Promise<T> => withEach(paths, streams, withFiles<T>, (files) => work(files.flat()))

async function withFiles<T>(
  path: string,
  streams: Streams,
  work: (files: readonly DumpFile[]) => Promise<T>,
): Promise<T> {
  const found = path === '-' ? undefined : await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return work(await filesIn(path))
  return withLocalFile(path, streams, (local) =>
    work([{ ...fileAt(local.name), open: () => createReadStream(local.path) }]),
  )
}

/** Returns the files of a directory that are named after a table. */
async function filesIn(path: string): Promise<readonly DumpFile[]> {
  const names = (await readdir(path)).filter((name) => tableOf(name) !== undefined)
  if (names.length > 0) return names.sort().map((name) => fileAt(join(path, name)))
  throw new UsageError(`${path} contains none of ${TABLES.map((table) => `${table}.csv`).join(', ')}.`)
}

function fileAt(path: string): DumpFile {
  const open = () => createReadStream(path)
  if (extname(path).toLowerCase() !== '.csv') return { name: path, form: 'sql', open }
  const table = tableOf(path)
  if (table !== undefined) return { name: path, form: 'csv', table, open }
  throw new UsageError(
    `${path} is not named after a table. Expected ${TABLES.map((name) => `${name}.csv`).join(', ')}.`,
  )
}

const tableOf = (path: string): string | undefined =>
  TABLES.find((table) => `${table}.csv` === basename(path).toLowerCase())
