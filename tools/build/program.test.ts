import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const program = join(import.meta.dirname, '../../packages/server/bin/ratafia.js')

for (const version of ['20.20.2', '23.11.1']) {
  test(`ratafia on Node ${version} says in one line what is wrong`, () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
    const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, 'version']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    assert.deepEqual(
      { status, stdout, stderr },
      {
        status: 1,
        stdout: '',
        stderr: `ratafia needs Node 24 or newer, and this is Node ${version}: update Node.\n`,
      },
    )
  })
}

// Guarantee: the cache only saves time. If it cannot be written, the program still works.
for (const directory of ['/proc/none', '/dev/null']) {
  test(`ratafia runs where its cache cannot be written: ${directory}`, () => {
    const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: directory }
    const { status, stderr } = spawnSync(process.execPath, [program, 'version'], {
      encoding: 'utf8',
      env,
      timeout: 60_000,
    })
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })
}
