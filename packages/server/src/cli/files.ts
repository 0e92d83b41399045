/** Files that commands are given. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { FileError, UsageError } from './context.ts'

/** Throws {@link FileError}. */
export async function readNamed(
  file: string,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new FileError(`${file} cannot be read (${error.code}).`)
  })
  return { name: file, bytes }
}

/** Throws {@link FileError}, and {@link UsageError} for another ending. */
export async function readTable(
  file: string,
): Promise<{ readonly text: string; readonly format: 'csv' | 'json' }> {
  const ending = extname(file).toLowerCase()
  if (ending !== '.csv' && ending !== '.json') {
    throw new UsageError(`${file} ends neither in .csv nor in .json.`)
  }
  const { bytes } = await readNamed(file)
  return { text: Buffer.from(bytes).toString('utf8'), format: ending === '.csv' ? 'csv' : 'json' }
}
