/** A disk that can be filled, for SQLite's data directory. */
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Disk {
  /** How it is filled, for the report. */
  readonly how: string
  fill(pids: readonly number[]): void
  empty(pids: readonly number[]): void
  remove(): void
}

const SIZE_MB = 64

/**
 * If root may mount, a separate file system that a file fills to the last byte. Otherwise a limit on the size of files
 * that a process may write: its writes fail as well, though with another error.
 */
export function diskAt(directory: string): Disk {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', directory])
  return mounted.status === 0 ? fileSystem(directory) : fileSizeLimit()
}

function fileSystem(directory: string): Disk {
  const unmount = () => spawnSync('umount', ['--lazy', directory])
  // Must happen before the directory is removed.
  process.prependOnceListener('exit', unmount)
  const ballast = join(directory, 'ballast')
  return {
    how: 'a file system without space',
    fill: () => {
      // Until no byte is left.
      for (let size = SIZE_MB * 2 ** 20; size >= 512; size = Math.floor(size / 2)) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' })
        } catch {
          // A part was written.
        }
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove: unmount,
  }
}

function fileSizeLimit(): Disk {
  const limit = (pids: readonly number[], bytes: number | 'unlimited') => {
    for (const pid of pids) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  }
  return {
    how: 'a limit on the size of files (prlimit)',
    // Less than a page: the log and the database are already larger, so no write can succeed.
    fill: (pids) => limit(pids, 512),
    empty: (pids) => limit(pids, 'unlimited'),
    remove: () => {},
  }
}
