/** Temporary checkouts of commits, in which the code can run. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'
import { git } from './git.ts'

/**
 * Checks out a commit into a temporary directory with its packages, and returns what `work` returns. The branch of this
 * checkout stays unchanged. Throws an Error if this clone lacks the commit, or if npm cannot install its packages.
 */
export async function inCheckoutOf<T>(
  commit: string,
  work: (directory: string) => T | Promise<T>,
): Promise<T> {
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status !== 0) {
    throw new Error(
      `This clone lacks the commit ${commit}. If it is shallow, run \`git fetch --unshallow\`, or \`git fetch origin ${commit}\` for this commit alone.`,
    )
  }
  const temporary = mkdtempSync(join(tmpdir(), 'ratafia-release-'))
  const directory = join(temporary, 'checkout')
  git('worktree', 'add', '--quiet', '--detach', directory, commit)
  try {
    if (packagesOf(directory) === packagesOf(ROOT)) linkPackages(directory)
    else execFileSync('npm', INSTALL, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
    return await work(directory)
  } finally {
    git('worktree', 'remove', '--force', directory)
    rmSync(temporary, { recursive: true })
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

/** Without tools and Node, which are those of this checkout. */
const INSTALL = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']

interface LockedPackage {
  readonly link?: true
  readonly dev?: true
}

/** Returns what the lock file of a checkout says about the packages that run. */
function packagesOf(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  const kept = Object.entries(packages).filter(
    ([path, { link, dev }]) => path.includes('node_modules/') && !link && !dev,
  )
  return JSON.stringify(kept)
}
