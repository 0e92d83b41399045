/** Writes an exported file. */
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openDraft } from '../../files/draft.ts'
import { isStreamed, openStreamed } from '../../files/streamed.ts'
import { systemReason } from '../../text/system-reason.ts'
import { type CommonOptions, FileError, type Streams } from '../context.ts'
import { note, print } from '../output.ts'

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

/** Does the same for pages of rows, which `textOf` turns into text. Returns the number of rows. */
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

/** Reports how much was written, on standard error if standard output may be the file itself. */
export async function printWritten(
  { streams }: { readonly streams: Streams },
  options: CommonOptions,
  written: { readonly file: string; readonly exported: number },
  told: string,
): Promise<void> {
  if (!options.json && (await isStreamed(written.file))) note(streams, told)
  else print({ streams }, options, written, told)
}
