/** Compares the files in a directory with the hashes in `SHA256SUMS`. */
import { createHash } from 'node:crypto'
import { constants, type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { boundedBody } from '../bounded-body.ts'
import { ReleaseError } from './release-error.ts'
import { SUMS, SUMS_SIGNATURE } from './sums.ts'

/** `other`: a link, a directory, or something else that is not a plain file. */
export type FileState = 'ok' | 'changed' | 'missing' | 'extra' | 'other'

export interface CheckedFile {
  readonly name: string
  readonly state: FileState
}

/** Returns the state of each listed file, and then the extra files. Throws the system's error for unreadable ones. */
export async function checkFiles(
  directory: string,
  sums: ReadonlyMap<string, string>,
): Promise<readonly CheckedFile[]> {
  const names = await readdir(directory)
  const checked: CheckedFile[] = []
  for (const [name, sum] of sums) {
    checked.push({
      name,
      state: names.includes(name) ? await stateOf(join(directory, name), sum) : 'missing',
    })
  }
  const own = new Set<string>([...sums.keys(), SUMS, SUMS_SIGNATURE])
  const extra = names.filter((name) => !own.has(name)).sort()
  return [...checked, ...extra.map((name) => ({ name, state: 'extra' as const }))]
}

async function stateOf(path: string, sum: string): Promise<FileState> {
  const digest = await withPlainFile(path, async (file) => {
    const sha256 = createHash('sha256')
    await pipeline(file.createReadStream({ autoClose: false }), sha256)
    return sha256.digest('hex')
  })
  return digest === undefined ? 'other' : digest === sum ? 'ok' : 'changed'
}

/** Returns the text of a small file. Throws {@link ReleaseError} for a larger one, for a link, and without one. */
export async function readSmallFile(path: string, mostBytes: number): Promise<string> {
  const bytes = await withPlainFile(path, async (file) => ({
    content: await boundedBody(file.createReadStream({ autoClose: false }), mostBytes),
  })).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new ReleaseError(
      `There is no ${path}. Name the directory with the files of a release, and that file.`,
    )
  })
  if (bytes === undefined) {
    throw new ReleaseError(`${path} is not a plain file. Replace it by the file of the release.`)
  }
  if (bytes.content === undefined) {
    throw new ReleaseError(
      `${path} is longer than ${mostBytes} bytes. Replace it by the file of the release.`,
    )
  }
  // Bytes outside ASCII stay apart, and no parser of these files accepts them.
  return bytes.content.toString('latin1')
}

/** Calls `work` with the open file. Returns undefined if it is not a plain file. Throws the system's error. */
async function withPlainFile<T>(
  path: string,
  work: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  if (!(await lstat(path)).isFile()) return undefined
  // It could have been replaced since, by a link or by a pipe that nothing writes to.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return (await file.stat()).isFile() ? await work(file) : undefined
  } finally {
    await file.close()
  }
}
