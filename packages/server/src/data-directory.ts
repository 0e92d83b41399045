/** The directory of the embedded database and its secret key. */
import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { ConfigError } from './config.ts'

/** Makes it (mode 0700) unless it is there. Throws {@link ConfigError} when it cannot be made or written to. */
export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(directory, error)
  }
}

export function notWritable(directory: string, error: unknown): ConfigError {
  const { code } = error as NodeJS.ErrnoException
  return new ConfigError(
    `RATAFIA_DATA_DIR: ${directory} cannot be written to (${code}). Give the service a directory of its own.`,
    { cause: error },
  )
}
