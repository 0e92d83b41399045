/** Writes an exported file. */
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openDraft } from '../../files/draft.ts'
import { isStreamed, openStreamed } from '../../files/streamed.ts'
import { systemReason } from '../../text/system-reason.ts'
import { FileError, type Streams } from '../context.ts'

interface WholeFileOptions {
  /** Whether only this user can read the file. */
  readonly secret?: boolean
  /** A transform for the text, such as gzip. */
  readonly through?: Transform
}

/** Writes a file that gets its name only once it is complete and on disk. Throws {@link FileError}. */
export async function writeWhole(
  text: AsyncIterable<string>,
  file: string,
  { secret = false, through }: WholeFileOptions = {},
): Promise<void> {
  const source = Readable.from(text)
  try {
    if (await isStreamed(file)) {
      const stream = await openStreamed(file)
      await (through ? pipeline(source, through, stream) : pipeline(source, stream))
      return
    }
    const draft = await openDraft(file, { secret })
    try {
      const store = async (chunks: AsyncIterable<string | Buffer>) => {
        for await (const chunk of chunks) await draft.handle.writeFile(chunk)
      }
      await (through ? pipeline(source, through, store) : pipeline(source, store))
      await draft.replace()
    } finally {
      await draft.discard()
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw new FileError(`${file} cannot be written: ${systemReason(error)}.`)
  }
}

/** Writes one string as {@link writeWhole} does. Throws {@link FileError}. */
export const writeText = (text: string, file: string, options: WholeFileOptions = {}): Promise<void> =>
  writeWhole(one(text), file, options)

export async function* one(text: string): AsyncGenerator<string> {
  yield text
}

/** Writes to the file, as {@link writeWhole} does, or to standard output without one. */
export const writeOut = (text: AsyncIterable<string>, file: string | undefined, { stdout }: Streams) =>
  file === undefined ? pipeline(Readable.from(text), stdout, { end: false }) : writeWhole(text, file)
