import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimOf, mayHaveEmail } from './claims.ts'

const CLAIMS = JSON.parse(`{
  "sub": "s", "empty": "", "kubernetes.io": {"namespace": "foo", "pod": {"uid": "u"}}, "a/b": 1, "m~n": 2, "m~1n": 3,
  "list": ["zero", {"x": true}], "/odd": 4, "__proto__": {"polluted": true}, "nothing": null, "": {"": 5}
}`)

for (const [name, value] of [
  ['sub', 's'],
  ['empty', ''],
  ['a/b', 1],
  ['m~n', 2],
  ['/kubernetes.io/namespace', 'foo'],
  ['/kubernetes.io/pod/uid', 'u'],
  ['/a~1b', 1],
  ['/m~0n', 2],
  ['/m~01n', 3],
  ['/list/0', 'zero'],
  ['/list/1/x', true],
  ['/~1odd', 4],
  ['//', 5],
  ['nothing', null],
  ['__proto__', { polluted: true }],
  ['kubernetes.io/namespace', undefined],
  ['/list/00', undefined],
  ['/list/-', undefined],
  ['/list/length', undefined],
  ['/sub/length', undefined],
  ['/sub/0', undefined],
  ['/nothing/x', undefined],
  ['/odd', undefined],
  ['constructor', undefined],
  ['/constructor/name', undefined],
  ['toString', undefined],
  ['/kubernetes.io/__proto__', undefined],
  ['/', { '': 5 }],
] as const) {
  test(`${name} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(claimOf(CLAIMS, name), value)
  })
}

test('distinguishes e-mail addresses from refs, URLs and subjects', () => {
  for (const text of [
    ...['a@b.example', 'a.b+c@example', '"odd"@example'],
    ...['deploy for a@b.example', 'Ann <a@b.example>', 'mailto:a@b.example', 'by=a@b.example/x'],
  ]) {
    assert.ok(mayHaveEmail(text), text)
  }
  for (const text of [
    'o/r/.github/workflows/x.yml@refs/heads/main',
    'https://a@b.example',
    'repo:o@6',
    'o/r/.github/workflows/x.yml@refs/tags/v1.2',
    'o/r/.github/workflows/x.yml@0123abcd',
    'main',
  ]) {
    assert.ok(!mayHaveEmail(text), text)
  }
})
