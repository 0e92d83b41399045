import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const file = (path: string): URL => new URL(`../${path}`, import.meta.url)
const text = (path: string): string => readFileSync(file(path), 'utf8')
const readme = text('README.md')

test('the example in the README is the tested file, and prints the output in the README', () => {
  assert.ok(
    readme.includes(`\`\`\`ts\n${text('examples/login.ts')}\`\`\``),
    'Copy examples/login.ts into README.md',
  )
  const { stdout, stderr, status } = spawnSync(process.execPath, [file('examples/login.ts').pathname], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.ok(readme.includes(`it prints \`${stdout.trim()}\``))
})

test('the README names exactly the error codes of the source', () => {
  for (const [type, source] of [
    ['MacaroonError', 'src/errors.ts'],
    ['BakeryError', 'src/bakery/errors.ts'],
    ['ConditionError', 'src/conditions/errors.ts'],
  ] as const) {
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? ''
    const documented = [...row.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code)
    const declared = [...text(source).matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, code]) => code)
    assert.deepEqual(documented, declared)
    for (const code of declared)
      assert.ok(text(source).includes(`  | '${code}' // `), `${code} is not explained`)
  }
})

test('every vector file has a row in the README of the vectors', () => {
  for (const name of readdirSync(file('vectors/')).filter((n) => n.endsWith('.json'))) {
    assert.ok(text('vectors/README.md').includes(`| ${name} |`), name)
  }
})
