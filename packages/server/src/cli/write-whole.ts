/** Writes an exported file. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncDirectory } from '../files/sync-directory.ts'
import { systemReason } from '../files/system-reason.ts'
import { FileError, type Streams } from './context.ts'

interface WholeFileOptions {
  /** Only this user can read it. */
  readonly secret?: boolean
  /** What the text goes through on its way, such as gzip. */
  readonly through?: Transform
}

/**
 * The file gets its name only once it is complete and on the disk; two processes writing it at once have separate
 * drafts. Throws {@link FileError}.
 */
export async function writeWhole(
  text: AsyncIterable<string>,
  file: string,
  { secret = false, through }: WholeFileOptions = {},
): Promise<void> {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const handle = await open(part, 'wx', secret ? 0o600 : 0o666)
    try {
      const store = async (chunks: AsyncIterable<string | Buffer>) => {
        for await (const chunk of chunks) await handle.writeFile(chunk)
      }
      const source = Readable.from(text)
      await (through ? pipeline(source, through, store) : pipeline(source, store))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, file)
    await syncDirectory(dirname(file))
  } catch (error) {
    await rm(part, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw new FileError(`${file} cannot be written: ${systemReason(error)}.`)
  }
}

/** To the file, as {@link writeWhole} does, or without one to standard output. */
export const writeOut = (text: AsyncIterable<string>, file: string | undefined, { stdout }: Streams) =>
  file === undefined ? pipeline(Readable.from(text), stdout, { end: false }) : writeWhole(text, file)

/** The same for pages of rows, of which `textOf` makes the text. Returns how many rows there were. */
export async function writePages<Row>(
  pages: AsyncIterable<readonly Row[]>,
  textOf: (pages: AsyncIterable<readonly Row[]>) => AsyncIterable<string>,
  { file, streams }: { readonly file: string | undefined; readonly streams: Streams },
): Promise<number> {
  let written = 0
  const counting = async function* () {
    for await (const rows of pages) {
      written += rows.length
      yield rows
    }
  }
  await writeOut(textOf(counting()), file, streams)
  return written
}
