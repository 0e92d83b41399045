/** A program that a test replaces by another release while it runs, as an upgrade does. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundling, bundle } from '../../../../tools/test/bundle.ts'
import { bundled, PROGRAM, ratafiaCommand } from '../../../../tools/test/programs.ts'

export interface ReplaceableProgram {
  /** The command that starts the program. */
  readonly command: readonly [command: string, ...words: string[]]
  /** Makes the copy and the other release. */
  prepare(): Promise<void>
  /** Renames the other release over the copy, as a package manager does. */
  replace(): void
}

/** The change to this checkout that turns it into another release. */
const OTHER: Bundling = {
  replacements: [
    {
      file: 'packages/server/src/start/release/release.ts',
      from: "export const RELEASE = '",
      to: "export const RELEASE = '9.",
    },
  ],
}

/** Returns a copy of the program that tests start, in `directory`. */
export function replaceableProgram(directory: string): ReplaceableProgram {
  const [installed, next, previous] = ['installed', 'next', 'previous'].map((name) => join(directory, name))
  assert.ok(installed && next && previous)
  const [program, script] = ratafiaCommand()
  if (script === undefined) {
    return {
      command: [installed],
      prepare: async () => {
        copyFileSync(program, installed)
        otherBuild(program, next)
      },
      replace: () => renameSync(next, installed),
    }
  }
  return {
    command: [program, bundled(PROGRAM, installed)],
    prepare: async () => {
      await bundle(installed)
      await bundle(next, OTHER)
    },
    replace: () => {
      renameSync(installed, previous)
      renameSync(next, installed)
    },
  }
}

/** Copies a one-file program, which then says that it was built from another commit. */
function otherBuild(program: string, copy: string): void {
  const bytes = readFileSync(program)
  const before = '{"commit":"'
  const at = bytes.indexOf(before) + before.length
  assert.match(bytes.toString('latin1', at, at + 40), /^[0-9a-f]{40}$/)
  bytes.write('0'.repeat(40), at)
  writeFileSync(copy, bytes, { mode: 0o755 })
}
