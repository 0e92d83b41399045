// docs/errors.md and the program list the same codes, and every code is thrown somewhere.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BAKERY_ERROR_CODES, ERROR_CODES, LOGIN_ERROR_CODES } from '@ratafia/api'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

const documented = [...page.matchAll(/^### `([a-z-]+)` \((\d{3})\)\n\n([\s\S]*?)\n\n/gm)].map(
  ([, code = '', status, meaning = '']) =>
    [code, { status: Number(status), meaning: meaning.replace(/\s+/g, ' ') }] as const,
)

test('docs/errors.md has exactly the codes of the API, in order, with status and meaning', () => {
  assert.deepEqual(
    documented,
    Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => [code, { status, meaning }]),
  )
})

test('docs/errors.md has exactly the codes of the identity service, with their status', () => {
  const rows = [...page.matchAll(/^\| `([a-z ]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  assert.deepEqual(rows.sort(), Object.entries(BAKERY_ERROR_CODES).sort())
})

test('docs/errors.md has exactly the codes of password logins, with status and meaning', () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.+) \|$/gm)].map(
    ([, code, status, meaning]) => [code, { status: Number(status), meaning }],
  )
  assert.deepEqual(rows, Object.entries(LOGIN_ERROR_CODES))
})

const sources = globSync('packages/server/src/**/*.ts', { cwd: root })
const textOf = (paths: readonly string[]): string =>
  paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
const program = textOf(sources.filter((path) => !path.endsWith('.test.ts')))

const CODES = [ERROR_CODES, BAKERY_ERROR_CODES, LOGIN_ERROR_CODES].flatMap((codes) => Object.keys(codes))

for (const code of CODES) {
  test(`the server uses the code "${code}"`, () => {
    assert.ok(program.includes(`'${code}'`), `nothing in packages/server/src has '${code}'`)
  })
}
