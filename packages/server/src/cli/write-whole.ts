/** Writes an exported file. */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileError } from './context.ts'

/** The file has its name only when it is whole. Throws {@link FileError}. */
export async function writeWhole(text: Readable, file: string): Promise<void> {
  const part = `${file}.part`
  try {
    await pipeline(text, createWriteStream(part))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw new FileError(`${file} cannot be written (${code}).`)
  }
}
