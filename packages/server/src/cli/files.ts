/** Files that commands read, and new ones that they create. */
import { access, lstat, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { openDraft } from '../files/draft.ts'
import { encodingOf, textOr } from '../files/foreign-text.ts'
import { systemReason } from '../text/system-reason.ts'
import { FileError, type Streams, UsageError } from './context.ts'

/** Decodes a file or an input; messages contain its name. Throws {@link FileError} for bytes that are not text. */
export const textOfFile = ({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): string =>
  textOr(bytes, (fault) => new FileError(`${name} ${fault}`))

/** Reads a file; `variable` is the one that names it, if any. Throws {@link FileError}. */
export async function readNamed(file: string, variable?: string) {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(variable === undefined ? file : `${file} (${variable})`, error)
  })
  return { name: file, bytes }
}

export const isReadable = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** A larger input is a mistake, and would fill the memory. */
const MAX_INPUT = { bytes: 64 * 1024 * 1024, refusal: 'Standard input is larger than 64 MiB.' }

/** Reads all of standard input. Throws {@link UsageError} with the refusal for more than that many bytes. */
export async function readStandardInput({ stdin }: Streams, most = MAX_INPUT) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
    if (size > most.bytes) throw new UsageError(most.refusal)
  }
  return { name: 'Standard input', bytes: Buffer.concat(chunks) }
}

/** Reads the file that the user names; `-` is standard input. Throws as the two functions above do. */
export const readGiven = (file: string, streams: Streams, most = MAX_INPUT) =>
  file === '-' ? readStandardInput(streams, most) : readNamed(file)

export const cannotBeRead = (file: string, error: NodeJS.ErrnoException): FileError =>
  new FileError(`${file} cannot be read: ${systemReason(error)}.`)

export type TableFormat = 'csv' | 'json'

/** Returns the format for a name's ending. Throws {@link UsageError}, with `hint` at the end, for other endings. */
export function formatOf(file: string, hint = ''): TableFormat {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.json') return 'json'
  throw new UsageError(`${file} ends neither in .csv nor in .json.${hint}`)
}

/** Detects the format from the first character, for input without a name. Throws as {@link formatOf} does. */
export function formatIn(
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  hint = '',
): TableFormat {
  const [, first] = /^\s*([[{])/.exec(new TextDecoder(encodingOf(bytes)).decode(bytes)) ?? []
  if (first === '{') throw new UsageError(`${name} is neither CSV nor a JSON list.${hint}`)
  return first === '[' ? 'json' : 'csv'
}

export interface NewFile {
  readonly path: string
  /** Call it before storing anything that belongs to the file elsewhere. Throws {@link FileError}. */
  write(text: string | Uint8Array): Promise<void>
}

interface NewFileOptions {
  /** Whether only this user can read the file. */
  readonly secret?: boolean
  /** A sentence about what has not happened if the file cannot be written. */
  readonly otherwise: string
}

/**
 * Opens a draft of the file before `work` starts, so that its result has somewhere to go. Never overwrites a file. The
 * draft gets the name of the file once `work` has succeeded, and is removed if it fails. Throws {@link FileError}.
 */
export async function withNewFile<T>(
  path: string,
  { secret = false, otherwise }: NewFileOptions,
  work: (file: NewFile) => Promise<T>,
): Promise<T> {
  const refused = (error: unknown) => {
    const why =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'already exists and is not overwritten'
        : `cannot be written: ${systemReason(error)}`
    return new FileError(`${path} ${why}. ${otherwise}`)
  }
  const exists = await lstat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw refused({ code: 'EEXIST' })
  const draft = await openDraft(path, { secret }).catch((error: unknown) => {
    throw refused(error)
  })
  const write = async (text: string | Uint8Array) => {
    try {
      await draft.handle.writeFile(text)
      await draft.handle.sync()
    } catch (error) {
      throw refused(error)
    }
  }
  let result: T
  try {
    result = await work({ path, write })
  } catch (error) {
    await draft.discard()
    throw error
  }
  await draft.publish().catch((error: unknown) => {
    // The record that the file belongs to exists by now, so the only copy stays.
    throw new FileError(`${path} cannot be created: ${systemReason(error)}. Its content is in ${draft.path}.`)
  })
  await draft.discard()
  return result
}
