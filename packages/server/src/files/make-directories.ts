import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a directory for this user only, with its parents, unless it exists. Throws the system's error.
 *
 * It does not use `mkdir` with `recursive`: where nothing can be created in an existing directory (`/proc`,
 * an autofs mount point), the system returns ENOENT, and Node retries forever.
 */
export async function makeDirectories(directory: string): Promise<void> {
  try {
    await makeUnlessExists(directory)
  } catch (error) {
    const parent = dirname(directory)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error
    await makeDirectories(parent)
    await makeUnlessExists(directory)
  }
}

/** Creates one directory. Throws the error of `mkdir` if the name belongs to something other than a directory. */
async function makeUnlessExists(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Some read-only file systems return EROFS rather than EEXIST.
    if (code !== 'EEXIST' && code !== 'EROFS') throw error
    const found = await stat(directory).catch(() => undefined)
    if (!found?.isDirectory()) throw error
  }
}
