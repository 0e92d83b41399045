/** The programs that tests start in processes of their own, by their paths in the checkout, and where they are. */
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export const PROGRAM = 'packages/server/bin/ratafia.js'
/** A service that dies at one step of a request. */
export const CRASH_CHILD = 'packages/server/test/support/crash-child.ts'

/** The variable that tells tests where the bundle of their run is. */
export const BUNDLE = 'RATAFIA_TEST_BUNDLE'

/** The absolute path of a program: bundled, or of the sources where no run has made a bundle. */
export function bundled(program: string, directory = process.env[BUNDLE]): string {
  return directory === undefined ? join(ROOT, program) : join(directory, program.replace(/\.ts$/, '.js'))
}

/** The compile cache for these programs. */
export function compiled(): string {
  return join(process.env[BUNDLE] ?? join(ROOT, 'node_modules/.cache/ratafia-tests'), 'compiled')
}
