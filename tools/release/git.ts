import { execFileSync } from 'node:child_process'
import { ROOT } from '../test/programs.ts'

/** Runs Git in this checkout, and returns its output without the last line break. Throws an Error with Git's message. */
export const git = (...words: readonly string[]): string => gitIn(ROOT, ...words)

/** Runs Git in another directory. */
export function gitIn(directory: string, ...words: readonly string[]): string {
  try {
    return execFileSync('git', words, {
      ...{ cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 28 },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    throw new Error(`git ${words.join(' ')} failed: ${stderr.trim()}`)
  }
}
