// docs/licences.md lists the shipped packages, and each has a licence that we have reviewed.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LICENCES_PAGE, licencesPage, shippedPackages } from './licences.ts'

const PERMISSIVE = new Set(['Apache-2.0', 'BlueOak-1.0.0', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'])
/** Licences that a page in docs/decisions accepts. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  openpgp: 'LGPL-3.0+',
}

test('docs/licences.md matches package-lock.json (otherwise run `npm run docs:reference`)', () => {
  assert.equal(readFileSync(LICENCES_PAGE, 'utf8'), licencesPage())
})

test('every shipped package has a permissive licence or is a known exception', () => {
  const others = shippedPackages().filter(({ licence }) => !PERMISSIVE.has(licence))
  assert.deepEqual(Object.fromEntries(others.map(({ name, licence }) => [name, licence])), EXCEPTIONS)
})
