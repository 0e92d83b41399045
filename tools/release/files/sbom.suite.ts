// npm run test:release. Not part of `npm test`, because npm before 10.2 cannot list the packages.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { RELEASE } from '../../../packages/server/src/start/release/release.ts'
import { shippedPackages } from '../../docs/licences.ts'
import { ROOT } from '../../test/programs.ts'
import { sbomOf } from './sbom.ts'

const TIME = Date.UTC(2026, 10, 30) / 1000
const versions = process.versions as Readonly<Record<string, string>>
const sbom = sbomOf(TIME, versions)

test('follows the schema of CycloneDX 1.5', () => {
  const schema = (name: string) =>
    JSON.parse(
      readFileSync(
        join(ROOT, `node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`),
        'utf8',
      ),
    )
  // The schema has keywords that only describe, and formats that need another package.
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  }
  const valid = ajv.compile(schema('bom-1.5'))
  assert.ok(valid(sbom), JSON.stringify(valid.errors))
})

test('has every package that an installation contains, ours by their names', () => {
  const expected = shippedPackages().map(({ name, version }) => `${name}@${version}`)
  const ours = ['@ratafia/api', '@ratafia/assertions', '@ratafia/macaroon', 'ratafia']
  const found = sbom.components.filter(({ purl }) => purl.startsWith('pkg:npm/'))
  const names = found.map(({ name, version }) => `${name}@${version}`)
  assert.deepEqual(names.toSorted(), [...expected, ...ours.map((name) => `${name}@${RELEASE}`)].toSorted())
})

test('has Node, and what Node contains, with the identifiers that scanners look for', () => {
  const identifiers = (wanted: string) => {
    const { version, purl, cpe } = sbom.components.find(({ name }) => name === wanted) ?? {}
    return { version, purl, cpe }
  }
  const { node, openssl = '', sqlite } = versions
  assert.deepEqual(identifiers('node'), {
    version: node,
    purl: `pkg:generic/node@${node}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
  })
  assert.equal(identifiers('sqlite').version, sqlite)
  assert.match(String(identifiers('openssl').cpe), new RegExp(`^cpe:2.3:a:openssl:openssl:${openssl}:`))
  const unlicensed = sbom.components.filter(({ licenses = [] }) => licenses.length === 0)
  assert.deepEqual(unlicensed, [])
})

test('refers only to components in it', () => {
  const known = new Set([sbom.metadata.component, ...sbom.components].map((one) => one['bom-ref']))
  assert.equal(known.size, sbom.components.length + 1)
  const refs = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
  assert.deepEqual(
    refs.filter((ref) => !known.has(ref)),
    [],
  )
})

test('is the same for the same commit, and has another serial number for another one', () => {
  assert.deepEqual(sbomOf(TIME, versions), sbom)
  assert.notEqual(sbomOf(TIME + 1, versions).serialNumber, sbom.serialNumber)
})

test('refuses a part of Node without an entry', () => {
  assert.throws(() => sbomOf(TIME, { ...versions, quiche: '1.0' }), {
    message: 'Node contains quiche 1.0, which tools/release/files/node-parts.ts does not list.',
  })
})
