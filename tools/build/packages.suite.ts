// npm run test:packages. Builds and packs the packages as for publishing, unpacks them into another project, and uses
// them there, to prove that they do not need the sources.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { buildPackages } from './build.ts'

const root = join(import.meta.dirname, '../..')

/** Runs `command` and returns its standard output. Throws an error with all output unless it exits with 0. */
function run(directory: string, command: string, ...words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd: directory, encoding: 'utf8' })
  if (error !== undefined) throw error
  assert.equal(status, 0, `${command} ${words.join(' ')} exited ${status}:\n${stdout}\n${stderr}`)
  return stdout
}

describe('the published packages', () => {
  let project: string

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'ratafia-packages-'))
    const modules = join(project, 'node_modules')
    const built = buildPackages(root, join(root, 'build'))
    for (const { name, directory } of built) {
      const [{ filename }] = JSON.parse(
        run(directory, 'npm', 'pack', '--json', '--pack-destination', project),
      )
      const target = join(modules, name)
      mkdirSync(target, { recursive: true })
      run(project, 'tar', '-xzf', filename, '-C', target, '--strip-components=1')
    }
    // Third-party packages come from this repository's installation instead of the registry.
    for (const path of globSync(['*', '@*/*'], { cwd: join(root, 'node_modules') })) {
      const target = join(modules, path)
      if (existsSync(target) || path.startsWith('@ratafia') || /^@[^/]+$/.test(path)) continue
      mkdirSync(dirname(target), { recursive: true })
      symlinkSync(join(root, 'node_modules', path), target)
    }
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  })
  after(() => rmSync(project, { recursive: true }))

  test('contain compiled files and a licence, but neither sources nor tests', () => {
    for (const directory of globSync(['ratafia', '@ratafia/*'], { cwd: join(project, 'node_modules') })) {
      const files = globSync('**', { cwd: join(project, 'node_modules', directory) })
      assert.ok(files.includes('LICENSE'), `${directory} has no LICENSE`)
      assert.equal(files.includes('dist/docs-site.json'), directory === 'ratafia', directory)
      const unexpected = files.filter((file) =>
        /(?<!\.d)\.ts$|\.test\.|\.fixture\.|^src|^test|tsconfig/.test(file),
      )
      assert.deepEqual(unexpected, [], directory)
    }
  })

  test('@ratafia/macaroon creates and verifies macaroons in plain JavaScript', () => {
    const program = `
      import assert from 'node:assert/strict'
      import { addFirstPartyCaveat, decodeBinary, encodeBinary, mint, verify } from '@ratafia/macaroon'
      import { generateKeyPair } from '@ratafia/macaroon/bakery'
      import { parseTimestamp } from '@ratafia/macaroon/conditions'
      const rootKey = new Uint8Array(32).fill(7)
      const minted = mint({ rootKey, id: new Uint8Array([1, 2, 3]), location: 'https://store.example' })
      const [read] = decodeBinary(encodeBinary(addFirstPartyCaveat(minted, 'account a')))
      assert.deepEqual(verify([read], rootKey), [{ condition: 'account a', macaroon: 0, caveat: 0 }])
      assert.throws(() => verify([read], rootKey.slice().fill(8)), { code: 'bad-signature' })
      assert.equal(generateKeyPair().publicKey.length, 32)
      assert.equal(parseTimestamp('2026-01-27T10:12:02Z').getTime(), Date.UTC(2026, 0, 27, 10, 12, 2))
      console.log('verified')`
    writeFileSync(join(project, 'program.js'), program)
    assert.equal(run(project, process.execPath, 'program.js'), 'verified\n')
  })

  test('@ratafia/macaroon and @ratafia/api have types that a strict project can use', () => {
    const program = `
      import type { ErrorCode } from '@ratafia/api'
      import { type Macaroon, mint, verify } from '@ratafia/macaroon'
      import type { KeyPair } from '@ratafia/macaroon/bakery'
      import { splitCondition } from '@ratafia/macaroon/conditions'
      const rootKey = new Uint8Array(32)
      const minted: Macaroon = mint({ rootKey, id: rootKey, location: '' })
      export const names: string[] = verify([minted], rootKey).map((each) => splitCondition(each.condition).name)
      export type Both = readonly [KeyPair, ErrorCode]
      // @ts-expect-error a location is a string; if the types were not found, this would compile
      mint({ rootKey, id: rootKey, location: 1 })`
    writeFileSync(join(project, 'program.ts'), program)
    const compilerOptions = {
      module: 'NodeNext',
      target: 'ES2024',
      strict: true,
      noEmit: true,
      types: ['node'],
    }
    const config = JSON.stringify({ compilerOptions, files: ['program.ts'] })
    writeFileSync(join(project, 'tsconfig.json'), config)
    run(project, process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.')
  })

  test('ratafia prints its version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'))
    const said = run(project, process.execPath, 'node_modules/ratafia/bin/ratafia.js', 'version')
    assert.match(said, new RegExp(`\\b${version.replaceAll('.', '\\.')}\\b`))
  })

  test('ratafia serves its documentation', async () => {
    const environment = {
      PATH: process.env['PATH'],
      RATAFIA_PORT: '0',
      RATAFIA_DATA_DIR: join(project, 'data'),
    }
    const words = ['node_modules/ratafia/bin/ratafia.js', 'serve']
    // Two workers: each is started by its supervisor, and finds the site by itself.
    const env = { ...environment, RATAFIA_WORKERS: '2' }
    const service = spawn(process.execPath, words, { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      let said = ''
      for await (const chunk of service.stdout) {
        said += chunk
        if (said.includes('\n')) break
      }
      const [address = ''] = /http:\S+/.exec(said) ?? []
      const page = await fetch(`${address}/docs/reference.html`)
      assert.equal(page.status, 200)
      assert.match(await page.text(), /<h1 id="reference">Reference<\/h1>/)
    } finally {
      service.kill()
    }
  })
})
