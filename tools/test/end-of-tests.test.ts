import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const directory = mkdtempSync(join(tmpdir(), 'ratafia-end-of-tests-'))
after(() => rmSync(directory, { recursive: true }))

/** Runs a test file with the module loaded. */
function run(content: string) {
  const file = join(directory, 'some.test.mjs')
  writeFileSync(file, `import { test } from 'node:test'\n${content}`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = ['--import', join(import.meta.dirname, 'end-of-tests.ts'), '--test', file]
  const { status, stdout } = spawnSync(process.execPath, words, {
    env: { ...env, RATAFIA_TEST_PATIENCE_MS: '50' },
    encoding: 'utf8',
  })
  return { status, stdout }
}

test('fails a file whose process stays open, and prints what keeps it open', () => {
  const { status, stdout } = run(
    "import { createServer } from 'node:net'\ntest('passes', () => {})\ncreateServer().listen(0, '127.0.0.1')\n",
  )
  assert.equal(status, 1)
  assert.match(stdout, /does not exit\. Still open: .*TCPServerWrap/)
  assert.match(stdout, /✔ passes|ok 1 - passes/)
})

test('passes a file whose process exits', () => {
  const { status, stdout } = run("test('passes', () => {})\n")
  assert.equal(status, 0, stdout)
})
