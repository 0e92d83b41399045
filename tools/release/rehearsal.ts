/** Clones this commit, so that a release can be rehearsed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'
import { withSomeChange } from './changelog.ts'
import { gitIn } from './git.ts'

/**
 * Clones the current commit into `directory`, where `npm run release` then accepts it: on a branch, which a checkout of
 * CI may not have, without tags of versions that exist already, and with an unreleased change.
 */
export function cloneForRehearsal(directory: string): void {
  gitIn(ROOT, 'clone', '--quiet', '--no-tags', ROOT, directory)
  gitIn(directory, 'switch', '--quiet', '--force-create', 'main')
  gitIn(directory, 'config', 'user.name', 'Rehearsal')
  gitIn(directory, 'config', 'user.email', 'rehearsal@example.com')
  const path = join(directory, 'CHANGELOG.md')
  const text = readFileSync(path, 'utf8')
  const changed = withSomeChange(text)
  if (changed === text) return
  writeFileSync(path, changed)
  gitIn(directory, 'commit', '--quiet', '--all', '--message', 'Change something')
}
