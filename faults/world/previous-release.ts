/** The code as it was before the newest migration, from git. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../tools/test/programs.ts'
import { committedRelease, type Release } from './release.ts'

const MIGRATIONS = 'packages/server/src/database/schema/migrations'
const run = promisify(execFile)
/** Not every commit runs. */
const MOST_TRIES = 100

export type Previous =
  | { readonly release: Release; readonly commit: string; readonly migration: string }
  | { readonly missing: string }

/** Writes it to `directory`. */
export async function previousRelease(directory: string): Promise<Previous> {
  const migration =
    readdirSync(join(ROOT, MIGRATIONS))
      .filter((name) => /^\d/.test(name))
      .sort()
      .at(-1) ?? ''
  const shallow = await git('rev-parse', '--is-shallow-repository')
  if (shallow === undefined) return { missing: 'this is no git clone' }
  // Wherever the migration was then. A merge may have added it: `log` shows what that changed to its first parent.
  const added = await git(
    'log',
    ...['--first-parent', '-m'],
    '--diff-filter=A',
    '--format=%H',
    '--',
    `:(glob)packages/server/src/**/${migration}`,
  )
  // A migration that is not committed yet: the newest commit is the code before it.
  const before = added ? `${added.split('\n').at(-1)}^` : 'HEAD'
  const commits = await git('rev-list', `--max-count=${MOST_TRIES}`, before)
  for (const commit of commits?.split('\n') ?? []) {
    const release = await committedRelease(directory, commit)
    if (release && (await runs(release))) {
      return { release, commit, migration: migration.replace(/\.ts$/, '') }
    }
    await rm(directory, { recursive: true, force: true })
  }
  const remedy = shallow === 'true' ? ': it is shallow, and `git fetch --unshallow` brings it' : ''
  return { missing: `this clone does not have the code before ${migration}${remedy}` }
}

const runs = ({ program }: Release): Promise<boolean> =>
  run(process.execPath, [program, 'version']).then(
    () => true,
    () => false,
  )

/** Undefined if git fails. */
const git = (...words: string[]): Promise<string | undefined> =>
  run('git', words, { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
