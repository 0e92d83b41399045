/** Prepares the directory of the embedded database and its secret key. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { makeDirectories } from '../files/make-directories.ts'
import { systemReason } from '../text/system-reason.ts'
import { ConfigError } from './config.ts'

/** Creates the directory (mode 0700) if needed. Throws {@link ConfigError} if it cannot be created or written to. */
export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectories(directory)
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(directory, error)
  }
}

export function notWritable(directory: string, error: unknown): ConfigError {
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC'
  const remedy = isFull ? '' : ' Give the service a directory of its own.'
  return new ConfigError(
    `RATAFIA_DATA_DIR: ${directory} cannot be written to: ${systemReason(error)}.${remedy}`,
    { cause: error },
  )
}
