import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bundle } from './bundle.ts'
import { bundled, PROGRAM } from './programs.ts'

const HELP = {
  file: 'packages/server/src/cli/program.ts',
  from: "new Command('ratafia')",
  to: "new Command('planted')",
}

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ratafia-bundle-test-'))
})
after(() => rm(directory, { recursive: true, force: true }))

test('a bundle contains the whole program with the replacements', async () => {
  await bundle(directory, { replacements: [HELP] })
  const run = (word: string) =>
    execFileSync(process.execPath, [bundled(PROGRAM, directory), word], { encoding: 'utf8' })
  assert.match(run('version'), /^ratafia \d+\.\d+\.\d+\n$/)
  assert.match(run('--help'), /^Usage: planted /)
})

test('throws if the text to replace has changed, or its file is not part of the program', async () => {
  const gone = { ...HELP, from: 'a text that has changed' }
  await assert.rejects(
    bundle(directory, { replacements: [gone] }),
    /program\.ts contains the text to replace 0 times/,
  )
  const elsewhere = { ...HELP, file: 'faults/main.ts' }
  await assert.rejects(bundle(directory, { replacements: [elsewhere] }), /faults\/main\.ts is not part of/)
})
