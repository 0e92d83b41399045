/** The directory of the embedded database and its secret key. */
import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from './config.ts'

/** Makes it (mode 0700) unless it is there. Throws {@link ConfigError} when it cannot be made or written to. */
export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeWithParents(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/**
 * Not `mkdir` with `recursive`: where nothing can be made in a directory that is there (`/proc`, a mount point of
 * autofs), the system says ENOENT, and Node tries again without an end.
 */
async function makeWithParents(directory: string): Promise<void> {
  try {
    await makeUnlessThere(directory)
  } catch (error) {
    const parent = dirname(directory)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error
    await makeWithParents(parent)
    await makeUnlessThere(directory)
  }
}

/** Throws what `mkdir` said where something else than a directory has the name. */
async function makeUnlessThere(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Some read-only file systems say so before they say that it is there.
    if (code !== 'EEXIST' && code !== 'EROFS') throw error
    const found = await stat(directory).catch(() => undefined)
    if (!found?.isDirectory()) throw error
  }
}

export function notWritable(directory: string, error: unknown): ConfigError {
  const { code } = error as NodeJS.ErrnoException
  return new ConfigError(
    `RATAFIA_DATA_DIR: ${directory} cannot be written to (${code}). Give the service a directory of its own.`,
    { cause: error },
  )
}
