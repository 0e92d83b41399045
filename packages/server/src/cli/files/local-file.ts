/** Files that are read more than once, or in parts. A pipe, such as `<(…)` in a shell, is copied first. */
import { createReadStream } from 'node:fs'
import { access, type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isStreamed } from '../../files/streamed.ts'
import { FileError, type Streams } from '../context.ts'
import { cannotBeRead, formatIn, formatOf, type TableFormat } from '../files.ts'

export interface LocalFile {
  /** The name that the user gave. */
  readonly name: string
  /** The path of the file or of its copy. */
  readonly path: string
  /** The size in bytes. */
  readonly size: number
  /** Detects the format from the name, and for a pipe from the content. Throws `UsageError`, with `hint` at the end. */
  format(hint?: string): Promise<TableFormat>
}

/**
 * Calls `work` with the file, or with a copy of a pipe, or of standard input for `-`, that exists until `work` settles.
 * Throws {@link FileError}.
 */
export async function withLocalFile<T>(
  file: string,
  { stdin }: Streams,
  work: (local: LocalFile) => Promise<T>,
): Promise<T> {
  if (file === '-') return withCopy(stdin, 'Standard input', work)
  const found = await statOf(file)
  if (found.isFile()) {
    const format = async (hint?: string) =>
      (await isStreamed(file)) ? formatIn(await beginningOf(file, file), hint) : formatOf(file, hint)
    return work({ name: file, path: file, size: found.size, format })
  }
  if (found.isDirectory()) throw new FileError(`${file} is a directory, not a file.`)
  return withCopy(createReadStream(file), file, work)
}

async function withCopy<T>(
  source: Readable,
  name: string,
  work: (local: LocalFile) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-pipe-'))
  const named = join(directory, 'copy')
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const handle = await open(named, 'wx', 0o600)
    try {
      const path = await withoutName(handle, remove).catch(() => named)
      const store = async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await handle.writeFile(chunk)
      }
      await pipeline(source, store).catch((error: unknown) => {
        throw cannotBeRead(name, error as NodeJS.ErrnoException)
      })
      const { size } = await handle.stat()
      return await work({
        ...{ name, path, size },
        format: async (hint) => formatIn(await beginningOf(path, name), hint),
      })
    } finally {
      await handle.close()
    }
  } finally {
    await remove()
  }
}

/**
 * Removes an open file, so that nothing of it remains if the process is killed, and returns a path that still
 * opens it. If the system has no such path, throws the system's error and removes nothing.
 */
async function withoutName({ fd }: FileHandle, remove: () => Promise<void>): Promise<string> {
  const path = `/proc/self/fd/${fd}`
  await access(path)
  await remove()
  return path
}

/** Calls `work` inside `withOne` for every item, with the values that these pass on. */
export function withEach<Item, Given, T>(
  items: readonly Item[],
  streams: Streams,
  withOne: (item: Item, streams: Streams, work: (given: Given) => Promise<T>) => Promise<T>,
  work: (all: readonly Given[]) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = items
  if (first === undefined) return work([])
  const withOthers = (one: Given) => withEach(rest, streams, withOne, (others) => work([one, ...others]))
  return withOne(first, streams, withOthers)
}

const statOf = (file: string) =>
  stat(file).catch((error: NodeJS.ErrnoException) => {
    throw cannotBeRead(file, error)
  })

const BEGINNING = 4096

async function beginningOf(path: string, name: string) {
  const handle = await open(path)
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)
    return { name, bytes: buffer.subarray(0, bytesRead) }
  } finally {
    await handle.close()
  }
}
