import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DEFAULT_LIMITS, TYPE_NAMES } from '../src/index.ts'
import { vectorJson, vectorNames } from './vectors.ts'

const file = (path: string): URL => new URL(`../${path}`, import.meta.url)
const text = (path: string): string => readFileSync(file(path), 'utf8')
const readme = text('README.md')

test('the example in the README is the tested file, and prints the output in the README', () => {
  const example = `\`\`\`ts\n${text('examples/serial.ts')}\`\`\``
  assert.ok(readme.includes(example), 'Copy examples/serial.ts into README.md')
  const { stdout, stderr, status } = spawnSync(process.execPath, [file('examples/serial.ts').pathname], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.ok(readme.includes(`It prints\n\`${stdout.trim()}\``))
})

test('the README explains exactly the error codes of the source, in the same words', () => {
  const source = text('src/errors.ts')
  const declared = [...source.matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, code]) => code)
  const explained = [...source.matchAll(/^ {2}\| '([a-z-]+)' \/\/ (.+)\.$/gm)].map(([, code, words]) => [
    code,
    words,
  ])
  const table = readme.slice(readme.indexOf('| code | |'))
  const documented = [...table.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(([, code, words]) => [
    code,
    words,
  ])
  assert.deepEqual(documented, explained)
  assert.deepEqual(
    explained.map(([code]) => code),
    declared,
  )
})

test('the README names every limit and every type', () => {
  for (const name of [...Object.keys(DEFAULT_LIMITS), ...TYPE_NAMES])
    assert.ok(readme.includes(`\`${name}\``), name)
})

test('every vector has a row in the README of the vectors', () => {
  const rows = text('vectors/README.md')
  for (const { File } of vectorJson<readonly { File: string }[]>('expected.json')) {
    const [folder, name] = File.split('/')
    assert.ok(rows.slice(rows.indexOf(`\n## ${folder}\n`)).includes(`| \`${name}\` |`), File)
  }
  assert.equal(
    vectorJson<readonly unknown[]>('expected.json').length,
    Number(/Against (\d+) vectors/.exec(readme)?.[1]),
  )
  assert.equal(vectorNames('canonical').length, 5)
})
