// npm run test:packages. Publishes the packages to a registry on loopback, installs them from it into empty directories,
// and uses them there, on the Node of this checkout and on the oldest that they support. Installs the runtime of a
// checkout with an old npm.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../test/programs.ts'
import { buildPackages } from './build.ts'
import { installRegistry, OLD_NPM, OLDEST_NODE, type Registry, startRegistry } from './registry/registry.ts'

let directory: string
let registry: Registry
const { '@types/node': TYPES } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies

before(async () => {
  installRegistry()
  directory = mkdtempSync(join(tmpdir(), 'ratafia-packages-'))
  registry = await startRegistry(join(directory, 'registry'))
  const output = join(ROOT, 'build/npm')
  for (const each of buildPackages(ROOT, output)) registry.publish(each.directory)
})
after(() => {
  registry.stop()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

for (const [name, bin] of [
  ['the Node of this checkout', dirname(process.execPath)],
  ['the oldest Node', OLDEST_NODE],
] as const) {
  describe(`with ${name}`, () => {
    /** An empty directory of a user who has only Node and npm. */
    let project: string
    before(() => {
      project = join(directory, bin === OLDEST_NODE ? 'oldest' : 'newest')
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
    })

    const environment = () => ({
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: project,
      ...registry.environment,
      RATAFIA_DATA_DIR: join(project, 'data'),
    })

    /** Runs `command` and returns its standard output. Throws an error with all output unless it exits with 0. */
    function run(command: string, ...words: readonly string[]): string {
      const options = { cwd: project, env: environment(), encoding: 'utf8' } as const
      const { status, stdout, stderr, error } = spawnSync(command, words, options)
      if (error !== undefined) throw error
      assert.equal(status, 0, `${command} ${words.join(' ')} exited ${status}:\n${stdout}\n${stderr}`)
      return stdout
    }

    test('npm i installs @ratafia/macaroon, which creates and verifies macaroons in plain JavaScript', () => {
      run(
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '@ratafia/macaroon',
        '@ratafia/api',
        `@types/node@${TYPES}`,
      )
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
      assert.equal(run('node', 'program.js'), 'verified\n')
    })

    test('they have types that a strict project can use', () => {
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
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['program.ts'] }),
      )
      run(process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.')
    })

    test('npx ratafia serves, creates a token, and prints commands as its user types them', async () => {
      assert.equal(run('npx', '--yes', 'ratafia', '--version'), `ratafia ${RELEASE}\n`)
      const service = spawn('npx', ['ratafia', 'serve'], {
        cwd: project,
        // Two workers: each is started by its supervisor, and finds the documentation by itself.
        env: { ...environment(), RATAFIA_PORT: '0', RATAFIA_WORKERS: '2' },
        stdio: ['ignore', 'pipe', 'ignore'],
        // So that npx and the service that it starts can be stopped together.
        detached: true,
      })
      try {
        let address = ''
        for await (const line of createInterface({ input: service.stdout })) {
          address = /^ratafia listening on (http:\S+)/.exec(line)?.[1] ?? ''
          if (address !== '') break
        }
        service.stdout.resume()
        run(
          'npx',
          'ratafia',
          'accounts',
          'add',
          'ada',
          '--email',
          'ada@example.org',
          '--name',
          'Ada',
          '--no-password',
        )
        run(
          'npx',
          'ratafia',
          'agents',
          'add',
          'ci',
          '--account',
          'ada',
          '--output',
          'agents.json',
          '--url',
          `${address}/identity`,
        )
        const token = run(
          'npx',
          'ratafia',
          'tokens',
          'create',
          '--all',
          '--agent',
          'agents.json',
          '--url',
          address,
        )
        const whoami = await fetch(`${address}/api/v2/tokens/whoami`, {
          headers: { authorization: `Macaroon ${token.trim()}` },
        })
        assert.equal(whoami.status, 200, await whoami.text())
        const page = await fetch(`${address}/docs/reference.html`)
        assert.equal(page.status, 200)
        const options = { cwd: project, env: environment(), encoding: 'utf8' } as const
        const { stderr } = spawnSync('npx', ['ratafia', 'accounts', 'list', '--url', address], options)
        assert.match(stderr, /Log in with `npx ratafia login --url /)
      } finally {
        if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
      }
    })
  })
}

test('the packages contain compiled files and a licence, but neither sources nor tests', () => {
  for (const name of ['ratafia', '@ratafia/api', '@ratafia/assertions', '@ratafia/macaroon']) {
    const place = join(ROOT, 'build/npm', name === 'ratafia' ? 'server' : name.slice('@ratafia/'.length))
    const [{ files }] = JSON.parse(
      spawnSync('npm', ['pack', '--dry-run', '--json', place], { encoding: 'utf8' }).stdout,
    ) as [{ files: { path: string }[] }]
    const paths = files.map(({ path }) => path)
    for (const needed of ['LICENSE', 'README.md', 'package.json']) {
      assert.ok(paths.includes(needed), `${name} has no ${needed}`)
    }
    const unexpected = paths.filter((path) =>
      /(?<!\.d)\.ts$|\.test\.|\.fixture\.|^src|^test|tsconfig/.test(path),
    )
    assert.deepEqual(unexpected, [], name)
    assert.doesNotMatch(readFileSync(join(place, 'README.md'), 'utf8'), /\]\(\.\.?\//, name)
  }
  assert.equal(globSync('build/npm/*', { cwd: ROOT }).length, 4)
})

test('npm 9, which Debian 13 has, links the runtime of a checkout, and removes it with --omit=dev', () => {
  const checkout = join(directory, 'checkout')
  const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
  const { name, version, scripts, devDependencies } = json('package.json')
  const manifest = {
    name,
    version,
    scripts: { postinstall: scripts.postinstall },
    devDependencies: { 'ratafia-runtime': devDependencies['ratafia-runtime'] },
  }
  const { packages, ...lock } = json('package-lock.json')
  const runtime = Object.entries(packages).filter(([place]) => /\/node-(linux|win)-|runtime$/.test(place))
  cpSync(join(ROOT, 'tools/runtime'), join(checkout, 'tools/runtime'), { recursive: true })
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest))
  writeFileSync(
    join(checkout, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: { '': manifest, ...Object.fromEntries(runtime) } }),
  )
  const npm = (node: string, ...words: readonly string[]) =>
    execFileSync(node, [OLD_NPM, 'ci', '--no-audit', '--no-fund', ...words], { cwd: checkout, stdio: 'pipe' })
  npm(process.execPath)
  const node = join(checkout, 'node_modules/.bin/node')
  assert.equal(execFileSync(node, ['--version'], { encoding: 'utf8' }), `${process.version}\n`)
  // On the runtime that it removes.
  npm(node, '--omit=dev')
  assert.equal(existsSync(node), false)
})
