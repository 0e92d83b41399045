/** Checks what must be installed besides npm's packages, and lists its versions. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientPaths } from './paths.ts'

const REMEDY = 'Run interop/setup: it installs what is missing.'

/** Throws an `Error` that names what is missing or outdated and the command that installs it. */
export function checkRequirements(): void {
  const missing = [
    ...['curl', 'fish', 'zsh', 'gpg', 'script', clientPaths.chromium, clientPaths.promtool].filter(
      (program) => !runs(program, '--version'),
    ),
    ...[clientPaths.nginx].filter((program) => !runs(program, '-v')),
    ...['openssl'].filter((program) => !runs(program, 'version')),
    ...(isCurrent('.venv/stamp', ['requirements.txt'])
      ? []
      : ['the Python clients of interop/requirements.txt']),
    ...(isCurrent('openapi/.venv/stamp', ['openapi/requirements.txt'])
      ? []
      : ['the Python programs of interop/openapi/requirements.txt']),
    ...(isCurrent('openapi/node_modules/stamp', ['openapi/package.json', 'openapi/package-lock.json'])
      ? []
      : ['the npm packages of interop/openapi']),
    ...(isCurrent('.bin/stamp', ['go/go.mod', 'go/go.sum', ...GO_FILES])
      ? []
      : ['the Go client of interop/go']),
    ...(isCurrent('.bin/rust-stamp', ['rust/Cargo.toml', 'rust/Cargo.lock', 'rust/src/main.rs'])
      ? []
      : ['the Rust program of interop/rust']),
    ...(runs(clientPaths.snap, 'version') ? [] : ['the command snap']),
    ...(isCurrent('.bin/snapd-stamp', SNAPD_FILES) && runs('sh', '-c', 'command -v ssh-keygen')
      ? []
      : ['the snapd device of interop/snapd']),
  ]
  if (missing.length > 0) throw new Error(`Missing or outdated: ${missing.join(', ')}. ${REMEDY}`)
}

/** One line for each program and library that the run is about. */
export function versions(): string {
  const manifest = (name: string, folder = clientPaths.root): string => {
    const path = join(folder, 'node_modules', name, 'package.json')
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
  }
  const openApiManifest = (name: string): string => manifest(name, join(clientPaths.interop, 'openapi'))
  return [
    `node ${process.versions.node}, SQLite ${process.versions['sqlite']}, npm macaroon ${manifest('macaroon')}`,
    `playwright-core ${manifest('playwright-core')}, ${output(clientPaths.chromium, '--version')}`,
    output('curl', '--version').split('\n')[0],
    // It writes its version to standard error.
    `${output('sh', '-c', `${clientPaths.nginx} -v 2>&1`)}, ${output('openssl', 'version')}`,
    output(clientPaths.promtool, '--version').split('\n')[0],
    `${output('fish', '--version')}, ${output('zsh', '--version')}`,
    output(clientPaths.goBakery, 'version').replaceAll('\n', ', '),
    output(clientPaths.rustMacaroons, 'version'),
    `snapd ${readFileSync(join(clientPaths.interop, '.bin/snapd-version'), 'utf8').trim()}`,
    `${output(clientPaths.python, '--version')}, ${output(clientPaths.python, '-c', PYTHON_VERSIONS)}`,
    `openapi-typescript ${openApiManifest('openapi-typescript')}, openapi-fetch ${openApiManifest('openapi-fetch')}`,
    output(clientPaths.openApiPython, '-c', OPENAPI_VERSIONS),
  ].join('\n')
}

/** In the order in which the shell lists them. */
const GO_FILES = ['main', 'v2', 'v3'].map((name) => `go/${name}.go`)
const SNAPD_FILES = ['changes', 'device', 'main', 'sign', 'store'].map((name) => `snapd/${name}.go`)

const pythonVersions = (...names: readonly string[]): string => `
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in ${JSON.stringify(names)}))
`
const PYTHON_VERSIONS = pythonVersions('craft-store', 'macaroonbakery', 'pymacaroons', 'requests')
const OPENAPI_VERSIONS = pythonVersions('openapi-python-client', 'schemathesis')

function isCurrent(stamp: string, files: readonly string[]): boolean {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(clientPaths.interop, file)))
  try {
    return readFileSync(join(clientPaths.interop, stamp), 'utf8').trim() === hash.digest('hex')
  } catch {
    return false
  }
}

function runs(program: string, ...words: readonly string[]): boolean {
  try {
    output(program, ...words)
    return true
  } catch {
    return false
  }
}

// Ignore what Debian's Chromium launcher says about /proc on standard error.
const output = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
