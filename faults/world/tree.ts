/** Releases to run: this checkout, that of a commit, or a copy of this one with a planted bug. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ROOT } from './processes.ts'

export interface Replacement {
  /** Relative to the root of the checkout. */
  readonly file: string
  /** Must occur there exactly once. */
  readonly from: string
  readonly to: string
}

/** Copies the sources of this checkout to `directory` and changes them. Throws if a text is no longer there. */
export function plantedTree(directory: string, replacements: readonly Replacement[]): string {
  cpSync(join(ROOT, 'packages'), join(directory, 'packages'), {
    recursive: true,
    filter: (source) => !/[/\\](node_modules|vectors|test|dist)$/.test(source),
  })
  linkModules(directory)
  for (const { file, from, to } of replacements) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    const times = text.split(from).length - 1
    if (times !== 1) {
      throw new Error(
        `${file} has ${times} times what a planted bug replaces: update faults/planted.ts\n${from}`,
      )
    }
    writeFileSync(
      path,
      text.replace(from, () => to),
    )
  }
  return directory
}

/** The sources at a commit; undefined if this clone does not have it. */
export function committedTree(directory: string, commit: string): string | undefined {
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status !== 0) return undefined
  const archive = execFileSync('git', ['archive', commit, 'packages'], {
    ...{ cwd: ROOT, maxBuffer: 2 ** 30 },
  })
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  linkModules(directory)
  return directory
}

/** This checkout's libraries, and the other's packages. */
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
