/** Releases to run: this checkout, that of a commit, or this one with a planted bug. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { bundle, type Replacement } from '../../tools/test/bundle.ts'
import { bundled, PROGRAM, ROOT } from '../../tools/test/programs.ts'

const run = promisify(execFile)

export interface Release {
  /** Its checkout. */
  readonly tree: string
  /** Its program: a bundle, or a file of the checkout. */
  readonly program: string
}

export const thisRelease = (): Release => ({ tree: ROOT, program: bundled(PROGRAM) })

/** Bundles the program of this checkout into `directory`, changed. Throws if a replaced text is no longer there. */
export async function plantedRelease(
  directory: string,
  replacements: readonly Replacement[],
): Promise<Release> {
  await bundle(directory, { replacements })
  return { tree: ROOT, program: bundled(PROGRAM, directory) }
}

/** Writes the sources at a commit to `directory`; undefined if this clone does not have it. */
export async function committedRelease(directory: string, commit: string): Promise<Release | undefined> {
  const here = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).catch(
    () => undefined,
  )
  if (!here) return undefined
  mkdirSync(directory, { recursive: true })
  const archive = join(directory, 'packages.tar')
  await run('git', ['archive', '--output', archive, commit, 'packages'], { cwd: ROOT })
  await run('tar', ['-x', '-f', archive, '-C', directory])
  rmSync(archive)
  linkModules(directory)
  return { tree: directory, program: join(directory, PROGRAM) }
}

/**
 * This checkout's libraries, and the other's packages. A library that only an older release needs has to be a development
 * dependency of the workspace.
 */
function linkModules(directory: string): void {
  const [here, there] = [join(ROOT, 'node_modules'), join(directory, 'node_modules')]
  mkdirSync(join(there, '@ratafia'), { recursive: true })
  for (const name of readdirSync(here)) {
    if (name === '@ratafia' || name === 'ratafia' || name === '.bin') continue
    symlinkSync(join(here, name), join(there, name))
  }
  for (const name of readdirSync(join(directory, 'packages'))) {
    const link = name === 'server' ? 'ratafia' : `@ratafia${sep}${name}`
    if (existsSync(join(directory, 'packages', name, 'package.json'))) {
      symlinkSync(join(directory, 'packages', name), join(there, link))
    }
  }
  // The root manifest makes the sources ES modules.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}\n')
}
