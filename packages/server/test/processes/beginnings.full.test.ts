/** How the program starts under a Node that is too old, and how Ctrl-C under npm ends it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PROGRAM, ROOT } from '../../../../tools/test/programs.ts'
import { testProgram } from '../support/program.ts'

/** Makes the process look like an older Node. */
const OLDER = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`

describe('a Node that is too old', () => {
  const begin = (path: string) => spawnSync(process.execPath, ['--import', OLDER, path], { encoding: 'utf8' })

  test('in a clone after npm ci, explains how to run the newer one that is installed', () => {
    const { status, stderr } = begin(join(ROOT, PROGRAM))
    assert.equal(status, 1)
    assert.equal(
      stderr,
      `ratafia needs Node 24 or newer, and this is Node 20.19.0. \`npm ci\` installed a newer one: run \`npx --no-install ratafia\` in ${ROOT}, or put ${ROOT}/node_modules/.bin first in PATH.\n`,
    )
  })

  test('elsewhere, asks the user to update Node', () => {
    const directory = mkdtempSync(join(tmpdir(), 'ratafia-old-node-'))
    try {
      mkdirSync(join(directory, 'bin'))
      writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
      cpSync(join(ROOT, PROGRAM), join(directory, 'bin/ratafia.js'))
      const { status, stderr } = begin(join(directory, 'bin/ratafia.js'))
      const said = 'ratafia needs Node 24 or newer, and this is Node 20.19.0. Update Node.\n'
      assert.deepEqual([status, stderr], [1, said])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('Ctrl-C', () => {
  const program = testProgram()

  for (const workers of ['1', '2']) {
    test(`under npm, which sends it a second time, ${workers} process(es) end with exit code 0`, async () => {
      const service = await program.start({ RATAFIA_WORKERS: workers })
      service.child.kill('SIGINT')
      service.child.kill('SIGINT')
      const { code, stderr } = await service.end('SIGINT')
      assert.equal(code, 0, stderr)
    })
  }
})
