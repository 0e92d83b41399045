/** The programs that tests start as separate processes, by their paths in the checkout. */
import { join, resolve } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export const PROGRAM = 'packages/server/bin/ratafia.js'
/** A service that crashes at one step of a request. */
export const CRASH_CHILD = 'packages/server/test/support/crash-child.ts'

/** The environment variable with the path of the run's bundle. */
export const BUNDLE = 'RATAFIA_TEST_BUNDLE'

/** Returns the absolute path of a program: in the bundle, or in the sources if there is no bundle. */
export function bundled(program: string, directory = process.env[BUNDLE]): string {
  return directory === undefined ? join(ROOT, program) : join(directory, program.replace(/\.ts$/, '.js'))
}

/** The environment variable with the path of a one-file program that tests start as `ratafia`, if it is set. */
const ONE_FILE_PROGRAM = 'RATAFIA_TEST_PROGRAM'

/** Returns the command that starts `ratafia`, with its first arguments. */
export function ratafiaCommand(): readonly [command: string, ...words: string[]] {
  const program = process.env[ONE_FILE_PROGRAM]
  return program === undefined ? [process.execPath, bundled(PROGRAM)] : [resolve(ROOT, program)]
}

/** The directory of the compile cache for tests. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/ratafia-tests')

/** Returns the directory of the compile cache for these programs. */
export function compiled(): string {
  return join(process.env[BUNDLE] ?? COMPILE_CACHE, 'compiled')
}
