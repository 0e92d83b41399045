/** Temporary checkouts of commits, in which the code can run. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'
import { git } from './git.ts'

/**
 * Checks out a commit into a temporary directory, and returns what `work` returns. Packages of npm are those of this
 * checkout, and our own are those of the commit. The branch of this checkout stays unchanged.
 */
export async function inCheckoutOf<T>(
  commit: string,
  work: (directory: string) => T | Promise<T>,
): Promise<T> {
  const temporary = mkdtempSync(join(tmpdir(), 'ratafia-release-'))
  const directory = join(temporary, 'checkout')
  try {
    git('worktree', 'add', '--quiet', '--detach', directory, commit)
    linkPackages(directory)
    return await work(directory)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
    git('worktree', 'prune')
  }
}

/** Links the packages of this checkout, except our own, which are those of `directory`. */
export function linkPackages(directory: string): void {
  const [from, to] = [ROOT, directory].map((root) => join(root, 'node_modules')) as [string, string]
  mkdirSync(join(to, '@ratafia'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name !== '@ratafia' && name !== 'ratafia') symlinkSync(join(from, name), join(to, name))
  }
  for (const name of readdirSync(join(directory, 'packages'))) {
    if (name !== 'server') symlinkSync(join(directory, 'packages', name), join(to, '@ratafia', name))
  }
}
