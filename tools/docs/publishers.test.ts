// docs/publishers.md agrees with the front page of a service: variables of tools, forms of credentials.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CREDENTIAL_FORM_NAMES } from '../../packages/server/src/credential-forms.ts'
import { rootPrefixes } from '../../packages/server/src/tokens/token-prefix.ts'
import { TOOLS } from '../../packages/server/src/web/tools.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/publishers.md'), 'utf8')

const URL = 'https://store.example.com'
const FACTS = { baseUrl: URL, signOn: URL, passwordLogins: true, deviceService: `${URL}/v1/` }
/** Matches names of environment variables. A name after a dot belongs to a program. */
const VARIABLE = /(?<!\.)\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g

/** The cells in the last column of the table below a heading. */
function lastCells(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ', 1)[0]?.match(/^\|.*\|$/gm) ?? []
  return rows.slice(2).map((row) => row.split(' | ').at(-1) ?? '')
}

/** Variables for other services: uploads, registries, the store's API. */
const ELSEWHERE = ['STORE_UPLOAD_URL', 'CHARMCRAFT_UPLOAD_URL', 'CHARMCRAFT_REGISTRY_URL', 'UBUNTU_STORE_URL']

test('docs/publishers.md and the front page show the same variables of tools', () => {
  const shown = TOOLS.flatMap(({ variables, credential }) => [
    ...Object.keys(variables(FACTS)),
    ...(credential?.(FACTS) ?? []).flatMap((line) => /^export ([A-Z_]+)=/.exec(line)?.[1] ?? []),
  ])
  const documented = new Set(page.match(VARIABLE))
  // A program that uses craft-store chooses the name itself.
  assert.deepEqual(
    shown.filter((name) => name !== 'STORE_AUTH' && !documented.has(name)),
    [],
  )
  const named = lastCells('Which tool speaks what').flatMap((cell) => cell.match(VARIABLE) ?? [])
  assert.notEqual(named.length, 0)
  assert.deepEqual(
    named.filter((name) => !ELSEWHERE.includes(name) && !shown.includes(name)),
    [],
  )
})

test('docs/publishers.md lists the forms of `ratafia tokens create --for`, in order', () => {
  const [, section = ''] = page.split('\n| form | for |\n')
  const forms = [...(section.split('\n\n', 1)[0] ?? '').matchAll(/^\| `([a-z]+)` \|/gm)].map(
    ([, form]) => form,
  )
  assert.deepEqual(forms, CREDENTIAL_FORM_NAMES)
})

test('docs/publishers.md shows the prefixes of the secrets of a service on http://127.0.0.1:8080', () => {
  const { root, stored } = rootPrefixes('127.0.0.1:8080')
  for (const prefix of [root, stored]) assert.ok(page.includes(`\n${prefix}[A-Za-z0-9`), prefix)
})
