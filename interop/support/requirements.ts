/** Checks that the clients besides npm's packages are installed, and lists their versions. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientPaths } from './paths.ts'

const OPENAPI = join(clientPaths.interop, 'openapi')
const REMEDY = 'Run interop/setup to install them.'

/** Throws an `Error` that lists missing and outdated clients, and names the command that installs them. */
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
    ...['snapcraft-4', 'snapcraft-7']
      .filter((client) => !isCurrent(`publishers/.venv-${client}/stamp`, [`publishers/${client}.txt`]))
      .map((client) => `the Python client of interop/publishers/${client}.txt`),
    ...(isCurrent('openapi/.venv/stamp', ['openapi/requirements.txt'])
      ? []
      : ['the Python programs of interop/openapi/requirements.txt']),
    ...['clients', 'openapi']
      .filter((folder) => {
        const files = [`${folder}/package.json`, `${folder}/package-lock.json`]
        return !isCurrent(`${folder}/node_modules/stamp`, files)
      })
      .map((folder) => `the npm packages of interop/${folder}`),
    ...(isCurrent('.bin/stamp', ['go/go.mod', 'go/go.sum', ...GO_FILES])
      ? []
      : ['the Go client of interop/go']),
    ...(isCurrent('.bin/rust-stamp', ['rust/Cargo.toml', 'rust/Cargo.lock', 'rust/src/main.rs'])
      ? []
      : ['the Rust program of interop/rust']),
    ...(isCurrent('.bin/oapi-codegen-stamp', ['openapi/go/go.mod', 'openapi/go/go.sum'])
      ? []
      : ['oapi-codegen of interop/openapi/go']),
    ...(isCurrent('.bin/openapi-rust-stamp', ['openapi/rust/Cargo.toml', 'openapi/rust/Cargo.lock'])
      ? []
      : ['the crates of interop/openapi/rust']),
    ...(isCurrent('.bin/openapi-generator/stamp', ['openapi/generator.txt']) ? [] : ['openapi-generator']),
    // `snap version` would wait 25 s for a snapd that is not running.
    ...(runs(clientPaths.snap, '--help') ? [] : ['the command snap']),
    // snapd has no option that does not start it.
    ...(existsSync(clientPaths.snapd) ? [] : ['snapd']),
    ...(isCurrent('.bin/snapd-stamp', SNAPD_FILES) && runs('sh', '-c', 'command -v ssh-keygen')
      ? []
      : ['the snapd device of interop/snapd']),
    ...(isCurrent('.bin/keycloak/stamp', ['keycloak.txt']) && runs('java', '-version') ? [] : ['Keycloak']),
  ]
  if (missing.length > 0) throw new Error(`Missing or outdated: ${missing.join(', ')}. ${REMEDY}`)
}

/** Returns the clients' versions by the names in titles and in docs/conformance.md, in that page's order. */
export function clientVersions(): Readonly<Record<string, string>> {
  const python = (name: string): string => pythonVersion(clientPaths.python, name)
  const openApiPython = (name: string): string => pythonVersion(clientPaths.openApiPython, name)
  const openApiNpm = (name: string): string => npmVersion(name, OPENAPI)
  const go = output(clientPaths.goBakery, 'version')
  const snapd = numberIn(readFileSync(join(clientPaths.interop, '.bin/snapd-version'), 'utf8'))
  const craftStore7 = pythonVersion(clientPaths.snapcraft7Python, 'craft-store')
  return {
    'craft-store': python('craft-store'),
    'store layer of snapcraft 8 and newer': `craft-store ${python('craft-store')}`,
    'store layer of snapcraft 7': `craft-store ${craftStore7}`,
    snapcraft: pythonVersion(clientPaths.snapcraft4Python, 'snapcraft'),
    charmcraft: python('charmcraft'),
    surl: python('surl'),
    'Python macaroonbakery': python('macaroonbakery'),
    'Go httpbakery v3': numberIn(go, 'macaroon-bakery/v3'),
    'Go httpbakery v2': numberIn(go, 'macaroon-bakery.v2'),
    curl: numberIn(output('curl', '--version')),
    pymacaroons: python('pymacaroons'),
    'npm macaroon': npmVersion('macaroon'),
    'crate macaroon': crateVersion('macaroon'),
    'crate libmacaroon': crateVersion('libmacaroon'),
    snapd,
    // snap is built from the same source as snapd.
    snap: snapd,
    'openid-client': npmVersion('openid-client', join(clientPaths.interop, 'clients')),
    'requests-oauthlib': python('requests-oauthlib'),
    Authlib: python('Authlib'),
    Keycloak: numberIn(readFileSync(join(clientPaths.keycloak, 'version.txt'), 'utf8')),
    'openapi-fetch': `${openApiNpm('openapi-fetch')}, types of openapi-typescript ${openApiNpm('openapi-typescript')}`,
    'openapi-python-client': openApiPython('openapi-python-client'),
    'oapi-codegen': numberIn(readFileSync(join(OPENAPI, 'go/go.mod'), 'utf8'), 'oapi-codegen/v2 v'),
    'openapi-generator': `${numberIn(readFileSync(join(OPENAPI, 'generator.txt'), 'utf8'))}, Rust`,
    Spectral: openApiNpm('@stoplight/spectral-cli'),
    Redocly: openApiNpm('@redocly/cli'),
    Schemathesis: openApiPython('schemathesis'),
    // Debian replaces it every few weeks, which must not change the page. `versions` returns its number.
    Chromium: "Debian's current one",
    // nginx writes its version to standard error.
    nginx: numberIn(output('sh', '-c', `${clientPaths.nginx} -v 2>&1`)),
    promtool: numberIn(output(clientPaths.promtool, '--version')),
    fish: numberIn(output('fish', '--version')),
    zsh: numberIn(output('zsh', '--version')),
  }
}

/** Returns a line for each program and library that the run uses. */
export function versions(): string {
  const others = {
    Node: process.versions.node,
    SQLite: process.versions['sqlite'],
    'playwright-core': npmVersion('playwright-core'),
    Chromium: numberIn(output(clientPaths.chromium, '--version')),
    OpenSSL: numberIn(output('openssl', 'version')),
    Go: numberIn(output(clientPaths.goBakery, 'version')),
    Python: numberIn(output(clientPaths.python, '--version')),
    requests: pythonVersion(clientPaths.python, 'requests'),
  }
  return Object.entries({ ...clientVersions(), ...others })
    .map(([name, version]) => `${name} ${version}`)
    .join('\n')
}

/** Returns the first version number after `name` in `text`. */
function numberIn(text: string, name = ''): string {
  const from = text.indexOf(name)
  const [number] = (from >= 0 && /\d+(\.\d+)+/.exec(text.slice(from + name.length))) || []
  if (number === undefined) throw new Error(`There is no version of "${name}" in "${text}".`)
  return number
}

function npmVersion(name: string, folder = clientPaths.root): string {
  const path = join(folder, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

/** Returns the version of a crate in the lock file that the program is built from. */
const crateVersion = (name: string): string =>
  numberIn(readFileSync(join(clientPaths.interop, 'rust/Cargo.lock'), 'utf8'), `name = "${name}"`)

const pythonVersion = (program: string, name: string): string =>
  output(program, '-c', `import importlib.metadata; print(importlib.metadata.version("${name}"))`)

/** The files of the Go programs, in the order in which the shell lists them, because the stamps depend on it. */
const GO_FILES = ['main', 'v2', 'v3'].map((name) => `go/${name}.go`)
const SNAPD_FILES = ['changes', 'device', 'main', 'sign', 'store', 'tools'].map((name) => `snapd/${name}.go`)

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

// Ignore standard error, where Debian's Chromium launcher warns about /proc.
const output = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
