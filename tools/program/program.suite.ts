// npm run test:program. Tests what only the one-file program does. The suites that start the program also run on it:
// RATAFIA_TEST_PROGRAM names it. .ci/release builds it twice, and for arm64.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { shippedPackages } from '../docs/licences.ts'
import { ROOT } from '../test/programs.ts'
import type { BuildRecord } from './build.ts'
import { bundleProgram, MAP, SCRIPT } from './bundle.ts'

const built = join(ROOT, 'build/program')
const record: BuildRecord = JSON.parse(readFileSync(join(built, 'build.json'), 'utf8'))
let directory: string
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-one-file-'))
})
after(() => rmSync(directory, { recursive: true, force: true }))

interface Start {
  readonly program?: string
  readonly env?: Readonly<Record<string, string>>
  /** How the user typed the program. */
  readonly argv0?: string
}

/** Runs the program as a user does who has only this file. */
function ratafia(words: readonly string[], start: Start = {}) {
  const { program = join(built, 'ratafia'), env = {}, argv0 = 'ratafia' } = start
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, ...env },
    encoding: 'utf8',
    argv0,
  })
  return { status, stdout, stderr }
}

test('prints its version, and what it runs on', () => {
  assert.deepEqual(ratafia(['--version']), { status: 0, stdout: `ratafia ${RELEASE}\n`, stderr: '' })
  const { stdout } = ratafia(['--version', '--json'])
  const { kind, commit, node } = JSON.parse(stdout)
  assert.deepEqual({ kind, commit, node }, { kind: 'program', commit: record.commit, node: record.node })
})

test('prints the licences of every package inside, and of Node', () => {
  const { stdout } = ratafia(['licences'])
  const titles = [...stdout.matchAll(/^={80}\n(.+) \(.+\)\n={80}$/gm)].map(([, title]) => title)
  const shipped = new Set(shippedPackages().map(({ name, version }) => `${name} ${version}`))
  assert.ok(titles.length > 100)
  assert.deepEqual(
    titles.filter((title) => title !== 'Ratafia' && !shipped.has(String(title))),
    [],
  )
  assert.match(stdout, /^openpgp \d+\.\d+\.\d+ \(LGPL-3\.0\+\)$/m)
  for (const part of ['deps/v8', 'deps/openssl']) assert.ok(stdout.includes(part), part)
})

test('serves its documentation, also from two workers', async () => {
  const service = spawn(join(built, 'ratafia'), ['serve'], {
    cwd: directory,
    env: { RATAFIA_PORT: '0', RATAFIA_WORKERS: '2', RATAFIA_DATA_DIR: join(directory, 'data') },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [said] = await once(service.stdout, 'data')
    const [, address] = /^ratafia listening on (http:\S+)/.exec(String(said)) ?? []
    const page = await fetch(`${address}/docs/reference.html`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<h1 id="reference">Reference<\/h1>/)
  } finally {
    service.kill()
    await once(service, 'exit')
  }
})

test('printed commands begin as it was called', () => {
  const words = ['tokens', 'list', '--url', 'http://127.0.0.1:1']
  const shown = (argv0: string) => /Log in with `(.*?) login /.exec(ratafia(words, { argv0 }).stderr)?.[1]
  assert.equal(shown('ratafia'), 'ratafia')
  assert.equal(shown('./ratafia'), './ratafia')
  assert.equal(shown("/opt/it's/ratafia"), "'/opt/it'\\''s/ratafia'")
})

test('creates no cache, and loads no package from a directory next to it or above it', () => {
  const installed = join(directory, 'installed/bin')
  mkdirSync(installed, { recursive: true })
  copyFileSync(join(built, 'ratafia'), join(installed, 'ratafia'))
  for (const place of [installed, join(directory, 'installed'), directory]) {
    const stranger = join(place, 'node_modules/pg-native')
    mkdirSync(stranger, { recursive: true })
    writeFileSync(
      join(stranger, 'index.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(join(directory, 'loaded'))}, '')`,
    )
  }
  const files = readdirSync(directory)
  const { status, stderr } = ratafia(['accounts', 'list'], {
    program: join(installed, 'ratafia'),
    // pg looks for the package where this variable is set.
    env: {
      NODE_PG_FORCE_NATIVE: '1',
      RATAFIA_DATABASE_URL: 'postgres://ratafia@127.0.0.1:1/ratafia',
      RATAFIA_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    },
  })
  assert.notEqual(status, 0)
  assert.match(stderr, /pg-native|127\.0\.0\.1:1/)
  assert.deepEqual(readdirSync(directory), files)
})

test('takes options of Node from NODE_OPTIONS', () => {
  const profiles = join(directory, 'profiles')
  ratafia(['--version'], { env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } })
  assert.equal(readdirSync(profiles).length, 1)
})

test('program:trace turns positions in the program into positions in the sources', async () => {
  await bundleProgram(directory)
  const marked = 'standard output cannot be written'
  const lines = readFileSync(join(directory, SCRIPT), 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes(marked))
  const column = String(lines[line]).indexOf(marked)
  const trace = `Error: no\n    at write (file:///opt/ratafia:${line + 1}:${column + 1})\n    at node:internal/process:1:2\n`
  const shown = execFileSync(process.execPath, [join(ROOT, 'tools/program/trace.ts'), join(directory, MAP)], {
    input: trace,
    encoding: 'utf8',
  })
  const source = readFileSync(join(ROOT, 'packages/server/bin/ratafia.js'), 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(marked))
  assert.match(
    shown,
    new RegExp(`^    at write \\(packages/server/bin/ratafia\\.js:${source + 1}:\\d+\\)$`, 'm'),
  )
  assert.match(shown, /^ {4}at node:internal\/process:1:2$/m)
})
