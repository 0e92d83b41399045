/** The releases that nodes run: this checkout, the release after it or before it, or this checkout with a planted bug. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPackages } from '../../tools/release/checkouts.ts'
import { bundle, type Replacement } from '../../tools/test/bundle.ts'
import { bundled, PROGRAM, ROOT } from '../../tools/test/programs.ts'

export interface Release {
  /** The path of its program. */
  readonly program: string
}

export const thisRelease = (): Release => ({ program: bundled(PROGRAM) })

/**
 * Bundles a changed program of this checkout into `directory`, or other files of it. Throws if a string to replace is
 * missing.
 */
export async function plantedRelease(
  directory: string,
  replacements: readonly Replacement[],
  programs: readonly string[] = [PROGRAM],
): Promise<Release> {
  await bundle(directory, { replacements, programs })
  return { program: bundled(PROGRAM, directory) }
}

/** The migration of {@link nextRelease}, which this checkout does not know. */
export const NEXT_MIGRATION = '9000-next'

/**
 * The schema changes of the next release, like those of any release: columns in tables that every request reads or
 * writes, an index, and a new table.
 */
const NEXT_STATEMENTS: readonly string[] = [
  'alter table account add column next text',
  'alter table token_session add column next text',
  'alter table device add column next text',
  'create index token_session_next on token_session (next) where next is not null',
  'create table next_one (id text not null constraint next_one_id_key primary key)',
]

/** The change to this checkout that turns it into the next release. */
export const NEXT_RELEASE: Replacement = {
  file: 'packages/server/src/database/schema/migrations/index.ts',
  from: '// Add a new migration here.',
  to: `{ name: '${NEXT_MIGRATION}', statements: () => ${JSON.stringify(NEXT_STATEMENTS)} },`,
}

/** Drops what {@link NEXT_RELEASE} adds, as only a later release may. */
const CONTRACTING_RELEASE: Replacement = {
  ...NEXT_RELEASE,
  to: `${NEXT_RELEASE.to} { name: '9001-contract-next', statements: () => ['drop table next_one'] },`,
}

/** Bundles a release with a migration that drops something into `directory`: older ones can't start on its schema. */
export const contractingRelease = (directory: string): Promise<Release> =>
  plantedRelease(directory, [CONTRACTING_RELEASE])

/** Bundles the release after this one into `directory`: this checkout with one more migration. */
export const nextRelease = (directory: string, programs?: readonly string[]): Promise<Release> =>
  plantedRelease(directory, [NEXT_RELEASE], programs)

/**
 * Builds the release of `commit` in `directory`. Throws an Error if this clone lacks the commit, or if npm cannot install
 * the packages of the release.
 */
export async function releaseOf(commit: string, directory: string): Promise<Release> {
  const found = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT })
  if (found.status !== 0) {
    throw new Error(
      `This clone lacks the commit ${commit} of a release. If it is shallow, run \`git fetch --unshallow\`, or \`git fetch origin ${commit}\` for this commit alone.`,
    )
  }
  const source = join(directory, 'source')
  const program = join(directory, 'program')
  const archive = join(directory, 'source.tar')
  mkdirSync(source, { recursive: true })
  execFileSync('git', ['archive', `--output=${archive}`, commit], { cwd: ROOT })
  execFileSync('tar', ['--extract', `--file=${archive}`, `--directory=${source}`])
  if (packagesOf(source) === packagesOf(ROOT)) linkPackages(source)
  else execFileSync('npm', INSTALL, { cwd: source, stdio: ['ignore', 'ignore', 'inherit'] })
  await bundle(program, { root: source })
  return { program: bundled(PROGRAM, program) }
}

/** The bundler is this checkout's, and so is Node. */
const INSTALL = ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund']

interface LockedPackage {
  readonly link?: true
  readonly dev?: true
  readonly optional?: true
}

/** Returns what the lock file of a checkout says about the packages that a bundle can contain. */
function packagesOf(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  const kept = Object.entries(packages).filter(
    ([path, { link, dev, optional }]) => path.includes('node_modules/') && !link && !dev && !optional,
  )
  return JSON.stringify(kept)
}
