/** Writes an exported file. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncDirectory } from '../files/sync-directory.ts'
import { FileError } from './context.ts'

interface WholeFileOptions {
  /** Nobody but this user can read it. */
  readonly secret?: boolean
  /** What the text goes through on its way, such as gzip. */
  readonly through?: Transform
}

/**
 * The file has its name only when it is whole and on the disk; two that write it at once each have a draft of their
 * own. Throws {@link FileError}.
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
    throw new FileError(`${file} cannot be written (${code}).`)
  }
}
