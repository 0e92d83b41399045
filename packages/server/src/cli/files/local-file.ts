/** Files that are read more than once, or by parts. A pipe, such as `<(…)` of a shell, is copied first. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { FileError } from '../context.ts'
import { cannotBeRead, formatIn, formatOf, type TableFormat } from '../files.ts'

export interface LocalFile {
  /** Of the file, or of its copy. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** By its name, and for a pipe by its content. Throws `UsageError`; `hint` goes after the message. */
  format(hint?: string): Promise<TableFormat>
}

/** The copy of a pipe lasts as long as `work` does. Throws {@link FileError}. */
export async function withLocalFile<T>(file: string, work: (local: LocalFile) => Promise<T>): Promise<T> {
  const found = await statOf(file)
  if (found.isFile()) {
    return work({ path: file, size: found.size, format: async (hint) => formatOf(file, hint) })
  }
  if (found.isDirectory()) throw new FileError(`${file} is a directory, not a file.`)
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-pipe-'))
  const path = join(directory, 'copy')
  try {
    await pipeline(createReadStream(file), createWriteStream(path, { mode: 0o600 })).catch(
      (error: unknown) => {
        throw cannotBeRead(file, error as NodeJS.ErrnoException)
      },
    )
    const { size } = await statOf(path)
    return await work({ path, size, format: async () => formatIn(await beginningOf(path)) })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The same for several. */
export function withLocalFiles<T>(
  files: readonly string[],
  work: (locals: readonly LocalFile[]) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = files
  if (first === undefined) return work([])
  return withLocalFile(first, (local) => withLocalFiles(rest, (locals) => work([local, ...locals])))
}

const statOf = (file: string) =>
  stat(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })

const BEGINNING = 4096

async function beginningOf(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
