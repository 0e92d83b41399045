/** Files that commands are given. */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { FileError, UsageError } from './context.ts'

/** Throws {@link FileError}. */
export async function readNamed(file: string) {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })
  return { name: file, bytes }
}

/** In bytes. Throws {@link FileError} for what is not a file. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })
  if (!found.isFile()) throw new FileError(`${file} is not a file.`)
  return found.size
}

export const cannotBeRead = (file: string, { code }: NodeJS.ErrnoException): FileError =>
  new FileError(`${file} cannot be read (${code}).`)

/** Throws {@link FileError}, and {@link UsageError} for another ending. */
export async function readTable(file: string) {
  const format = formatOf(file)
  const { bytes } = await readNamed(file)
  return { text: bytes.toString('utf8'), format }
}

/** By the ending of the name. Throws {@link UsageError} for another ending; `hint` goes after its message. */
export function formatOf(file: string, hint = ''): 'csv' | 'json' {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.json') return 'json'
  throw new UsageError(`${file} ends neither in .csv nor in .json.${hint}`)
}
