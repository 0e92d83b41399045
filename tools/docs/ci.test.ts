// docs/ci agrees with the program: the program accepts the issuers and rules that pages show, with no warning that the
// page does not explain, and the tables have every kind, claim, event and reason.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkIssuer } from '../../packages/server/src/ci/issuers/check-issuer.ts'
import type { Issuer } from '../../packages/server/src/ci/issuers/issuer.ts'
import { KIND_NAMES, KINDS, kindOf } from '../../packages/server/src/ci/issuers/kinds.ts'
import { REASONS } from '../../packages/server/src/ci/refusal.ts'
import { checkRule } from '../../packages/server/src/ci/rules/check-rule.ts'
import { NEVER_GRANTED } from '../../packages/server/src/ci/rules/making/check-grants.ts'
import { readMatch } from '../../packages/server/src/ci/rules/matchers/read-match.ts'
import { readMatchOptions } from '../../packages/server/src/cli/ci/publishers-add.ts'
import {
  PLATFORMS as PLATFORMS_WITH_A_JOB,
  pipelineOf,
} from '../../packages/server/src/web/console/publishers/pipelines.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../docs', path), 'utf8')
const RULES = read('ci/rules.md')
const EXCHANGE = read('ci/exchange.md')
const PLATFORMS = read('ci/platforms.md')

/** The words of each command that begins with `words`, without quotes. A backslash continues a line. */
function commandsIn(page: string, words: string): readonly (readonly string[])[] {
  const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.replace(/\\\n */g, '').split('\n'))
    .filter((line) => line.startsWith(`ratafia ${words} `))
  return lines.map((line) =>
    [...line.slice(`ratafia ${words} `.length).matchAll(/'([^']*)'|([^\s']+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    ),
  )
}

/** The values of a repeatable option. */
const valuesOf = (command: readonly string[], option: string): readonly string[] =>
  command.flatMap((word, at) => (command[at - 1] === option ? [word] : []))

const issuers = new Map(
  [...commandsIn(PLATFORMS, 'issuers add'), ...commandsIn(read('ci.md'), 'issuers add')].map(
    (command): [string, Issuer] => {
      const [url = ''] = command
      const wanted = {
        url,
        kind: valuesOf(command, '--kind')[0] ?? '',
        audience: valuesOf(command, '--audience')[0],
        otherAudiences: valuesOf(command, '--other-audience'),
        stableClaims: valuesOf(command, '--stable-claims')[0]?.split(','),
      }
      return [url, { id: url, createdAt: new Date(), ...checkIssuer(wanted) }]
    },
  ),
)

test('docs/ci/platforms.md shows how to add an issuer of each kind', () => {
  const shown = commandsIn(PLATFORMS, 'issuers add').flatMap((command) => valuesOf(command, '--kind'))
  assert.deepEqual(shown.toSorted(), KIND_NAMES.toSorted())
})

for (const [name, page] of [
  ['ci.md', read('ci.md')],
  ['ci/platforms.md', PLATFORMS],
  ['ci/rules.md', RULES],
] as const) {
  test(`the rules in docs/${name} are accepted, and warn only if the kind always does`, () => {
    const commands = commandsIn(page, 'publishers add')
    assert.notEqual(commands.length, 0)
    for (const command of commands) {
      const issuer = issuers.get(valuesOf(command, '--issuer')[0] ?? '')
      assert.ok(issuer, command.join(' '))
      const { warnings } = checkRule(issuer, readMatch(readMatchOptions(valuesOf(command, '--match'))))
      assert.equal(
        warnings.length,
        ['jenkins', 'kubernetes'].includes(issuer.kind) ? 1 : 0,
        command.join(' '),
      )
    }
  })
}

test("docs/ci.md and docs/ci/platforms.md show the same publishing jobs as a rule's page in the console", () => {
  const pages = `${read('ci.md')}${PLATFORMS}`
  const blocks = [...pages.matchAll(/^```(?:yaml|groovy)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  for (const platform of PLATFORMS_WITH_A_JOB) {
    const job = pipelineOf(platform, { url: 'https://store.example.com', rule: 'hello-release' })
    const indented = Array.from({ length: 17 }, (_, by) => job.replaceAll(/^(?=.)/gm, ' '.repeat(by)))
    assert.ok(
      blocks.some((block) => indented.some((text) => block.includes(`${text}\n`))),
      `${platform}:\n${job}`,
    )
  }
})

test('the program accepts every form of --match in docs/ci/rules.md', () => {
  const [, table = ''] = RULES.split('\n| written | the claim must be |\n')
  const written = [...(table.split('\n\n')[0] ?? '').matchAll(/`--match '?([^`']*)'?`/g)]
  assert.ok(written.length >= 6)
  for (const [, text = ''] of written) readMatch(readMatchOptions([text]))
})

/** The cells of the rows below a heading, without the header row. */
function rowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ', 1)[0]?.match(/^\|.*\|$/gm) ?? []
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}
const codeIn = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

test('docs/ci/rules.md lists the claims that a rule of each kind needs', () => {
  const rows = rowsOf(RULES, 'What has to be matched')
  assert.deepEqual(
    rows.map(([kind]) => codeIn(kind)[0]),
    KIND_NAMES,
  )
  for (const [kind = '', ids, oneOf] of rows) {
    const { stableIds, oneOf: wanted } = kindOf(
      KIND_NAMES.find((name) => `\`${name}\`` === kind) ?? 'generic',
    )
    assert.deepEqual(codeIn(ids).slice(0, stableIds.length), stableIds, kind)
    // Forgejo's "sub" is accepted but not recommended, so the page leaves it out.
    for (const claim of wanted.filter((one) => one !== 'sub')) assert.ok(codeIn(oneOf).includes(claim), kind)
  }
})

test('docs/ci/rules.md lists the events that each kind allows by default, and those that it never allows', () => {
  const rows = rowsOf(RULES, 'Events')
  const withEvents = KIND_NAMES.filter((name) => kindOf(name).events !== undefined)
  assert.deepEqual(rows.flatMap(([kinds]) => codeIn(kinds)).toSorted(), withEvents.toSorted())
  for (const [kinds, claim, standard, never] of rows) {
    for (const kind of codeIn(kinds)) {
      const { events } = kindOf(KIND_NAMES.find((name) => name === kind) ?? 'generic')
      assert.ok(events)
      assert.deepEqual(codeIn(claim), [events.claim])
      const listed = 'only' in events.standard ? events.standard.only : events.standard.allBut
      assert.deepEqual(codeIn(standard), listed.map(String))
      assert.deepEqual(codeIn(never), events.never)
    }
  }
})

test('docs/ci/rules.md lists the permissions that no rule grants', () => {
  const [, listed = ''] = /\*\*Never granted\*\*: ([^.]*)\./.exec(RULES) ?? []
  assert.deepEqual(codeIn(listed).toSorted(), NEVER_GRANTED.toSorted())
})

test('docs/ci/exchange.md lists every reason for a refusal', () => {
  const documented = new Set(rowsOf(EXCHANGE, 'When it is refused').flatMap(([, reasons]) => codeIn(reasons)))
  assert.deepEqual([...documented].sort(), [...Object.keys(REASONS), 'database', 'keys-unavailable'].sort())
})

test('docs/contract/oidc.md lists every kind in order', () => {
  const rows = rowsOf(read('contract/oidc.md'), 'Needed in a rule')
  assert.deepEqual(
    rows.map(([kind]) => kind),
    Object.keys(KINDS),
  )
})
