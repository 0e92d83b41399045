/** Chooses where the tests write: to memory if there is room, because the disk takes a tenth of the time. */
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const NEEDED = 4 * 2 ** 30

/** Returns `TMPDIR` if it is set, otherwise a directory in memory if there is room, otherwise one on the disk. */
export function scratchDirectory(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > NEEDED ? MEMORY : tmpdir()
}
