/** The code as it was before the newest migration, from git. */
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../tools/test/programs.ts'
import { committedRelease, type Release } from './release.ts'

const MIGRATIONS = 'packages/server/src/database/schema/migrations'
/** Not every commit runs. */
const MOST_TRIES = 100

export type Previous =
  | { readonly release: Release; readonly commit: string; readonly migration: string }
  | { readonly missing: string }

/** Writes it to `directory`. */
export function previousRelease(directory: string): Previous {
  const migration =
    readdirSync(join(ROOT, MIGRATIONS))
      .filter((name) => /^\d/.test(name))
      .sort()
      .at(-1) ?? ''
  const shallow = git('rev-parse', '--is-shallow-repository')
  if (shallow === undefined) return { missing: 'this is no git clone' }
  // Wherever the migration was then. A merge may have added it: `log` shows what that changed to its first parent.
  const added = git(
    'log',
    ...['--first-parent', '-m'],
    '--diff-filter=A',
    '--format=%H',
    '--',
    `:(glob)packages/server/src/**/${migration}`,
  )
  // A migration that is not committed yet: the newest commit is the code before it.
  const before = added ? `${added.split('\n').at(-1)}^` : 'HEAD'
  const commits = git('rev-list', `--max-count=${MOST_TRIES}`, before)?.split('\n') ?? []
  for (const commit of commits) {
    const release = committedRelease(directory, commit)
    if (release && spawnSync(process.execPath, [release.program, 'version']).status === 0) {
      return { release, commit, migration: migration.replace(/\.ts$/, '') }
    }
    rmSync(directory, { recursive: true, force: true })
  }
  const remedy = shallow === 'true' ? ': it is shallow, and `git fetch --unshallow` brings it' : ''
  return { missing: `this clone does not have the code before ${migration}${remedy}` }
}

/** Undefined if git fails. */
function git(...words: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
