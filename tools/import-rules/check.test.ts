import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { check } from './check.ts'
import { RULES } from './rules.ts'
import { withTree } from './tree.fixture.ts'
import { VIOLATIONS } from './violations.fixture.ts'

const server = 'packages/server/src'

/** Rules that also catch some violations of other rules. */
const OVERLAPPING = ['declared-dependencies', 'no-import-of-server', 'folders-one-way', 'no-cycles']

test('a tree in which every layer imports everything that it may has no findings', () => {
  withTree({}, (root) => assert.deepEqual(check(root).findings, []))
})

for (const [name, path, plant, what] of VIOLATIONS) {
  test(`the rule "${name}" finds ${plant} in ${path}`, () => {
    withTree({ [path]: plant }, (root) => {
      const { findings } = check(root)
      const found = findings.filter((finding) => finding.includes(`\n  ${name}: `))
      assert.equal(found.length, 1, `not exactly one finding of ${name} in:\n${findings.join('\n')}`)
      assert.equal(found[0]?.split('\n')[0]?.replace(/:\d+: /, ': '), `${path}: ${what}`)
      // No other rule finds it, so this rule is needed.
      const others = RULES.filter((rule) => rule.name !== name && !OVERLAPPING.includes(rule.name))
      assert.deepEqual(check(root, others).findings, [])
    })
  })
}

test('a folder may have at most 16 source files, not counting tests', () => {
  const plants = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        [`${server}/web/page-${at}.ts`, ''],
        [`${server}/web/page-${at}.test.ts`, ''],
      ]).flat(),
    )
  // The tree already has one file there.
  withTree(plants(15), (root) => assert.deepEqual(check(root).findings, []))
  withTree(plants(16), (root) => {
    const [finding, ...more] = check(root).findings
    assert.match(finding ?? '', /^packages\/server\/src\/web:1: has 17 source files\n {2}folder-size: /)
    assert.deepEqual(more, [])
  })
})

test('every rule has a violation in the fixture', () => {
  const shown = new Set([...VIOLATIONS.map(([rule]) => rule), 'folder-size'])
  assert.deepEqual([...shown].sort(), RULES.map(({ name }) => name).sort())
})

test('a test may import from every layer of its own package', () => {
  const test = `${server}/tokens/exchange.test.ts`
  const imports = [
    '../start/run.ts',
    '../accounts/account-store.ts',
    '../http/authentication.ts',
    'kysely',
    'fast-check',
  ]
  const plants = { [test]: imports.map((name) => `import '${name}'`).join('\n') }
  withTree(plants, (root) => assert.deepEqual(check(root).findings, []))
})

test('refuses a package that the rules do not know', () => {
  const plants = { 'packages/new/package.json': '{"name":"new"}', 'packages/new/src/index.ts': '' }
  withTree(plants, (root) => assert.throws(() => check(root), { message: /^packages\/new has no row/ }))
})

function run(root: string) {
  const main = `${import.meta.dirname}/main.ts`
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, root], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('the command prints the place, the violation, the rule and the advice, and exits with 1', () => {
  withTree({ [`${server}/tokens/routes.ts`]: "import './session-store.ts'" }, (root) => {
    assert.deepEqual(run(root), {
      status: 1,
      stderr: '',
      stdout: `packages/server/src/tokens/routes.ts:7: imports packages/server/src/tokens/session-store.ts
  routes: "Routes import only their operations, \`http\`, \`web\` and \`api\`."
  routes may import operations of their own folder, grants, third-party, http, web, api, errors.ts and clock.ts

39 files against 34 rules: 1 findings
`,
    })
  })
})

test('the command exits with 0 without findings', () => {
  withTree({}, (root) => assert.equal(run(root).status, 0))
})
