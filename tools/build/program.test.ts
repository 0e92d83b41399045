import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const program = join(import.meta.dirname, '../../packages/server/bin/ratafia.js')

for (const version of ['20.20.2', '23.11.1']) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const started = (path: string) => {
    const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, path, 'version']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const tooOld = `ratafia needs Node 24 or newer, and this is Node ${version}.`

  test(`on Node ${version}, ratafia reports in one line that \`npm ci\` installed a newer Node`, () => {
    const clone = join(import.meta.dirname, '../..')
    assert.deepEqual(started(program), {
      status: 1,
      stdout: '',
      stderr:
        `${tooOld} \`npm ci\` installed a newer one: run \`npx --no-install ratafia\` in ${clone}, ` +
        `or put ${clone}/node_modules/.bin first in PATH.\n`,
    })
  })

  test(`on Node ${version}, without a newer Node nearby, ratafia asks for an update`, () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'ratafia-program-'))
    try {
      const copy = join(elsewhere, 'ratafia.mjs')
      copyFileSync(program, copy)
      assert.deepEqual(started(copy), { status: 1, stdout: '', stderr: `${tooOld} Update Node.\n` })
    } finally {
      rmSync(elsewhere, { recursive: true, force: true })
    }
  })
}

// The cache only saves time, so the program must work without it.
for (const directory of ['/proc/none', '/dev/null']) {
  test(`ratafia runs if its cache cannot be written: ${directory}`, () => {
    const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: directory }
    const { status, stderr } = spawnSync(process.execPath, [program, 'version'], {
      encoding: 'utf8',
      env,
      timeout: 60_000,
    })
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })
}

// The program must never run code that another user could have put into the cache.
test('ratafia uses its cache only if other users cannot write to it', () => {
  const caches = mkdtempSync(join(tmpdir(), 'ratafia-cache-'))
  try {
    const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: caches }
    const directory = join(caches, 'ratafia')
    const kept = () => {
      const { status } = spawnSync(process.execPath, [program, 'version'], { env, timeout: 60_000 })
      assert.equal(status, 0)
      return readdirSync(directory).length
    }
    mkdirSync(directory)
    chmodSync(directory, 0o777)
    assert.equal(kept(), 0)
    chmodSync(directory, 0o700)
    assert.notEqual(kept(), 0)
  } finally {
    rmSync(caches, { recursive: true, force: true })
  }
})
