/** The directory of the embedded database and its secret key. */
import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemReason } from '../files/system-reason.ts'
import { ConfigError } from './config.ts'

/** Makes it (mode 0700) unless it exists. Throws {@link ConfigError} if it cannot be made or written to. */
export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeWithParents(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/**
 * Not `mkdir` with `recursive`: where nothing can be made in an existing directory (`/proc`, an autofs mount point), the
 * system says ENOENT, and Node retries forever.
 */
async function makeWithParents(directory: string): Promise<void> {
  try {
    await makeUnlessExists(directory)
  } catch (error) {
    const parent = dirname(directory)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error
    await makeWithParents(parent)
    await makeUnlessExists(directory)
  }
}

/** Throws the error of `mkdir` if something other than a directory has the name. */
async function makeUnlessExists(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Some read-only file systems say EROFS rather than EEXIST.
    if (code !== 'EEXIST' && code !== 'EROFS') throw error
    const found = await stat(directory).catch(() => undefined)
    if (!found?.isDirectory()) throw error
  }
}

export function notWritable(directory: string, error: unknown): ConfigError {
  return new ConfigError(
    `RATAFIA_DATA_DIR: ${directory} cannot be written to: ${systemReason(error)}. Give the service a directory of its own.`,
    { cause: error },
  )
}
