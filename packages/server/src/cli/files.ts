/** Files that commands are given, and new ones that they make. */
import { open, readFile, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { systemReason } from '../files/system-reason.ts'
import { FileError, type Streams, UsageError } from './context.ts'

/** Throws {@link FileError}. */
export async function readNamed(file: string) {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })
  return { name: file, bytes }
}

/** More is a mistake: it would fill the memory. */
const MAX_INPUT = { bytes: 64 * 1024 * 1024, refusal: 'Standard input is larger than 64 MiB.' }

/** All of it. Throws {@link UsageError} with the refusal for more bytes than these. */
export async function readStandardInput({ stdin }: Streams, most = MAX_INPUT): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
    if (size > most.bytes) throw new UsageError(most.refusal)
  }
  return Buffer.concat(chunks)
}

/** In bytes. Throws {@link FileError} for what is not a file. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })
  if (!found.isFile()) throw new FileError(`${file} is not a file.`)
  return found.size
}

export const cannotBeRead = (file: string, error: NodeJS.ErrnoException): FileError =>
  new FileError(`${file} cannot be read: ${systemReason(error)}.`)

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

export interface NewFile {
  readonly path: string
  /** Throws {@link FileError}. */
  write(text: string | Uint8Array): Promise<void>
}

interface NewFileOptions {
  /** Only this user can read it. */
  readonly secret?: boolean
  /** What has not happened if the file cannot be made, as a sentence. */
  readonly otherwise: string
}

/**
 * Makes the file before `work` starts, so that its result has a place to go, and overwrites none. Removes it if `work`
 * fails. Throws {@link FileError}.
 */
export async function withNewFile<T>(
  path: string,
  { secret = false, otherwise }: NewFileOptions,
  work: (file: NewFile) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'wx', secret ? 0o600 : 0o666).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EEXIST'
        ? 'already exists, and is not overwritten'
        : `cannot be written: ${systemReason(error)}`
    throw new FileError(`${path} ${why}. ${otherwise}`)
  })
  const write = async (text: string | Uint8Array) => {
    try {
      await handle.writeFile(text)
      await handle.sync()
    } catch (error) {
      throw new FileError(`${path} cannot be written: ${systemReason(error)}.`)
    }
  }
  try {
    return await work({ path, write })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
