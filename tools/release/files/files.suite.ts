// npm run test:release. Tests the files of a release, not the checkout: in build/release, or in RATAFIA_RELEASE.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { RELEASE } from '../../../packages/server/src/start/release/release.ts'
import { ROOT } from '../../test/programs.ts'
import { writeOfflineBundle } from './offline-bundle.ts'
import type { ReleaseRecord } from './release-files.ts'
import type { Sbom } from './sbom.ts'

const FILES = resolve(ROOT, process.env['RATAFIA_RELEASE'] ?? 'build/release')
const MAX_BYTES = 45_000_000
const PROCESSORS = [
  ['x64', 'amd64', []],
  ['arm64', 'arm64', ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu']],
] as const

// On the file system of the files, for links.
const directory = mkdtempSync(join(FILES, '../release-tests-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string) => join(FILES, name)
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const record: ReleaseRecord = json(file(`ratafia-${RELEASE}-build.json`))
const builtFor = (processor: string) =>
  record.programs.find(({ platform }) => platform === `linux-${processor}`)

/** Runs a command that must exit with 0, and returns its standard output. */
function run(command: string, words: readonly string[], cwd = directory): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory }
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const { status, stdout, stderr } = spawnSync(command, words, options)
  assert.equal(status, 0, `${command} ${words.join(' ')} exited ${status}:\n${stdout}\n${stderr}`)
  return stdout
}

/** Returns the SHA-256 of the program at `path` in a tar file, which `decompress` writes to its standard output. */
const sha256In = (decompress: string, path: string): string =>
  run('bash', ['-c', `set -o pipefail; ${decompress} | tar --extract --to-stdout ${path} | sha256sum`]).slice(
    0,
    64,
  )

/** Unpacks the archive for a processor once, and returns its directory. */
function unpacked(processor: string): string {
  const name = `ratafia-${RELEASE}-linux-${processor}`
  const place = join(directory, name)
  if (!readdirSync(directory).includes(name)) run('tar', ['-xf', file(`${name}.tar.xz`)])
  return place
}
const hostProgram = () => join(unpacked(process.arch), 'ratafia')

test('the release has all of its files, and SHA256SUMS their hashes', () => {
  assert.deepEqual(readdirSync(FILES).toSorted(), [
    'SHA256SUMS',
    ...[
      `ratafia-${RELEASE}-build.json`,
      `ratafia-${RELEASE}-docs.tar.gz`,
      `ratafia-${RELEASE}-linux-arm64.tar.xz`,
      `ratafia-${RELEASE}-linux-x64.tar.xz`,
      `ratafia-${RELEASE}.cdx.json`,
      `ratafia-${RELEASE}.map`,
      `ratafia-${RELEASE}.oci.tar`,
      `ratafia-${RELEASE}.tgz`,
      `ratafia-api-${RELEASE}.tgz`,
      `ratafia-assertions-${RELEASE}.tgz`,
      `ratafia-chart-${RELEASE}.tgz`,
      `ratafia-macaroon-${RELEASE}.tgz`,
      `ratafia_${RELEASE}_amd64.deb`,
      `ratafia_${RELEASE}_arm64.deb`,
    ].toSorted(),
  ])
  const checked = run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], FILES)
  assert.equal(checked.split('\n').length, readdirSync(FILES).length)
})

for (const [processor, debian, emulator] of PROCESSORS) {
  const program = builtFor(processor)

  test(`the archive for ${processor} is small, and its program starts and knows its commit`, () => {
    const archive = file(`ratafia-${RELEASE}-linux-${processor}.tar.xz`)
    assert.ok(statSync(archive).size <= MAX_BYTES, `${statSync(archive).size} bytes`)
    const place = unpacked(processor)
    const words = processor === process.arch ? [] : emulator
    const [command = '', ...more] = [...words, join(place, 'ratafia'), '--version', '--json']
    const { status, stdout, stderr } = spawnSync(command, more, { encoding: 'utf8' })
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    const { release, commit, node, kind, platform } = JSON.parse(stdout)
    assert.deepEqual(
      { release, commit, node, kind, platform },
      {
        release: RELEASE,
        commit: record.commit,
        node: program?.node,
        kind: 'program',
        platform: `linux-${processor}`,
      },
    )
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(place, 'ratafia')))
        .digest('hex'),
      program?.sha256,
    )
  })

  test(`the Debian package for ${debian} is small, and contains the same program`, () => {
    const path = file(`ratafia_${RELEASE}_${debian}.deb`)
    assert.ok(statSync(path).size <= MAX_BYTES, `${statSync(path).size} bytes`)
    const fields = run('dpkg-deb', ['--field', path, 'Package', 'Version', 'Architecture'])
    assert.equal(fields, `Package: ratafia\nVersion: ${RELEASE.replace('-', '~')}\nArchitecture: ${debian}\n`)
    assert.match(run('dpkg-deb', ['--field', path, 'Depends']), /libc6 \(>= 2\.34\)/)
    assert.equal(sha256In(`dpkg-deb --fsys-tarfile ${path}`, './usr/lib/ratafia/ratafia'), program?.sha256)
  })
}

test('the archive contains what an installation needs besides the program', () => {
  const place = unpacked(process.arch)
  const names = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1))
  assert.deepEqual(names.toSorted(), [
    'LICENSE',
    'README.md',
    'completions/_ratafia',
    'completions/ratafia.bash',
    'completions/ratafia.fish',
    'licences.txt',
    'ratafia',
    'ratafia.1',
    'systemd/ratafia',
    'systemd/ratafia.env',
    'systemd/ratafia.service',
  ])
  assert.match(
    readFileSync(join(place, 'systemd/ratafia.service'), 'utf8'),
    /^ExecStart=\/usr\/local\/bin\/ratafia serve$/m,
  )
  const script = readFileSync(join(place, 'systemd/ratafia'), 'utf8')
  assert.match(script, /^command=\/usr\/local\/bin\/ratafia\nprogram=\/usr\/local\/lib\/ratafia\/ratafia$/m)
  const licences = readFileSync(join(place, 'licences.txt'), 'utf8')
  assert.ok(run(hostProgram(), ['licences']).trimEnd() === licences.trimEnd(), 'the licences differ')
})

test('the program serves, is healthy, and stops', async () => {
  const env = { RATAFIA_PORT: '0', RATAFIA_WORKERS: '1', RATAFIA_DATA_DIR: join(directory, 'data') }
  const service = spawn(hostProgram(), ['serve'], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = once(service, 'exit')
  try {
    let address = ''
    for await (const line of createInterface({ input: service.stdout })) {
      address = /^ratafia listening on (http:\S+)/.exec(line)?.[1] ?? ''
      if (address !== '') break
    }
    for (const path of ['/health/ready', '/docs/'])
      assert.equal((await fetch(`${address}${path}`)).status, 200, path)
  } finally {
    service.kill()
  }
  assert.deepEqual(await exit, [0, null])
})

test('npm installs the four packages, and their program starts', () => {
  const project = join(directory, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const packages = ['', '-api', '-assertions', '-macaroon'].map((name) =>
    file(`ratafia${name}-${RELEASE}.tgz`),
  )
  const npm = { ...process.env, npm_config_prefix: undefined }
  execFileSync(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages],
    {
      cwd: project,
      env: npm,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  assert.equal(
    run(join(project, 'node_modules/.bin/ratafia'), ['--version'], project),
    `ratafia ${RELEASE}\n`,
  )
  assert.equal(readdirSync(join(project, 'node_modules/@ratafia')).length, 3)
})

test('the chart has the layout that Helm reads', () => {
  const archive = file(`ratafia-chart-${RELEASE}.tgz`)
  const names = run('tar', ['-tzf', archive]).trim().split('\n')
  for (const name of ['Chart.yaml', 'values.yaml', 'values.schema.json', 'templates/deployment.yaml']) {
    assert.ok(names.includes(`ratafia/${name}`), name)
  }
  assert.deepEqual(
    names.filter((name) => !name.startsWith('ratafia/') || name.startsWith('ratafia/ci')),
    [],
  )
  const chart = run('tar', ['-xzOf', archive, 'ratafia/Chart.yaml'])
  assert.match(chart, new RegExp(`^version: ${RELEASE}\nappVersion: ${RELEASE}$`, 'm'))
})

test('the image has both processors, each with the same program', () => {
  const layout = join(directory, 'layout')
  mkdirSync(layout)
  run('tar', ['-xf', file(`ratafia-${RELEASE}.oci.tar`)], layout)
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const [{ digest }] = json(join(layout, 'index.json')).manifests
  const images: readonly { digest: string; platform: { architecture: string } }[] = json(
    blob(digest),
  ).manifests
  const programs = images.map((image) => {
    const [layer] = json(blob(image.digest)).layers
    return [image.platform.architecture, sha256In(`gzip -dc ${blob(layer.digest)}`, 'usr/bin/ratafia')]
  })
  assert.deepEqual(
    programs,
    PROCESSORS.map(([processor, debian]) => [debian, builtFor(processor)?.sha256]),
  )
})

test('the documentation is a site', () => {
  const page = run('tar', [
    '-xzOf',
    file(`ratafia-${RELEASE}-docs.tar.gz`),
    `ratafia-${RELEASE}-docs/index.html`,
  ])
  assert.match(page, /<h1/)
})

test('the bill of materials names the Node that the program reports', () => {
  const { components, metadata }: Sbom = json(file(`ratafia-${RELEASE}.cdx.json`))
  const { node, openssl, sqlite } = JSON.parse(run(hostProgram(), ['--version', '--json']))
  const versionOf = (wanted: string) => components.find(({ name }) => name === wanted)?.version
  assert.deepEqual([versionOf('node'), versionOf('openssl'), versionOf('sqlite')], [node, openssl, sqlite])
  assert.equal(metadata.component.version, RELEASE)
})

test('the program verifies the files with their signature, also from the offline bundle', () => {
  const signed = join(directory, 'signed')
  mkdirSync(signed)
  for (const name of readdirSync(FILES)) linkSync(file(name), join(signed, name))
  const key = join(directory, 'key')
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'ratafia-release', '-f', key, join(signed, 'SHA256SUMS')])
  const bundle = writeOfflineBundle(signed, RELEASE)
  assert.equal(bundle, join(directory, `ratafia-${RELEASE}-offline.tar`))
  run('tar', ['-xf', bundle])
  const place = join(directory, `ratafia-${RELEASE}`)
  run(hostProgram(), ['release', 'verify', '--key', `${key}.pub`, place])
  cpSync(file(`ratafia-chart-${RELEASE}.tgz`), join(place, `ratafia-${RELEASE}.map`))
  const words = ['release', 'verify', '--key', `${key}.pub`, place]
  assert.equal(spawnSync(hostProgram(), words, { env: { HOME: directory } }).status, 1)
})
