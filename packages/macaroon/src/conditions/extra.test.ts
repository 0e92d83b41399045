import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveAttenuations, formatExtra, parseExtra, permits, UNRESTRICTED } from './index.ts'

const REAL =
  'extra {"channel": null, "package_id": null, "acl": ["store_admin", "package_access"], "store_ids": null}'
const argument = (text: string): string => text.slice('extra '.length)

test('writes extra with the spacing and escapes of real tokens', () => {
  assert.equal(formatExtra({ ...UNRESTRICTED, permissions: ['store_admin', 'package_access'] }), REAL)
  const all = {
    channels: ['2.*/stable', 'é"\\😀'],
    packages: ['a'],
    permissions: ['b'],
    storeIds: ['c', 'd'],
  }
  const text = String.raw`extra {"channel": ["2.*/stable", "\u00e9\"\\\ud83d\ude00"], "package_id": ["a"], "acl": ["b"], "store_ids": ["c", "d"]}`
  assert.equal(formatExtra(all), text)
  assert.deepEqual(parseExtra(argument(text)), all)
})

test('reads extra with keys in any order, missing keys and other spacing', () => {
  const expected = { ...UNRESTRICTED, permissions: ['a'] }
  for (const text of [
    '{"acl":["a"]}',
    '{"store_ids":null,"acl":["a"],"channel":null}',
    ' { "acl" : [ "a" ] } ',
  ]) {
    assert.deepEqual(parseExtra(text), expected)
  }
  assert.deepEqual(parseExtra('{}'), UNRESTRICTED)
  assert.deepEqual(parseExtra('{"acl": [":{}\\":"]}').permissions, [':{}":'])
})

// Guarantee: an `extra` has a single meaning, or is refused.
for (const [text, message] of [
  ['', /it is not JSON$/],
  ['null', /it is not a JSON object$/],
  ['[]', /it is not a JSON object$/],
  ['{"permissions": ["a"]}', /it has an unknown key "permissions"$/],
  ['{"acl": []}', /"acl": the list is empty$/],
  ['{"acl": ["a", "a"]}', /"acl": the list has an item twice$/],
  ['{"acl": ["a"], "acl": null}', /it has a key twice, or a value is an object$/],
  ['{"acl": ["a:b"], "acl": null}', /it has a key twice, or a value is an object$/],
  ['{"acl": ["a"], "\\u0061cl": null}', /it has a key twice, or a value is an object$/],
  ['{"acl": "a"}', /"acl" is neither null nor a list of strings$/],
  ['{"acl": [1]}', /"acl" is neither null nor a list of strings$/],
  ['{"acl": {"a": 1}}', /it has a key twice, or a value is an object$/],
  ['{"acl": [""]}', /"acl": an item is empty or not printable$/],
  ['{"acl": ["\\u0000"]}', /"acl": an item is empty or not printable$/],
  ['{"acl": ["\\ud800"]}', /"acl": an item is empty or not printable$/],
  ['{"__proto__": ["a"]}', /it has an unknown key "__proto__"$/],
] as const) {
  test(`refuses extra ${text}`, () => {
    assert.throws(() => parseExtra(text), { code: 'malformed-condition', message })
  })
}

test('refuses lists and items that are too long', () => {
  const items = (length: number): string => JSON.stringify({ acl: Array.from({ length }, (_, i) => `${i}`) })
  assert.equal(parseExtra(items(256)).permissions?.length, 256)
  const limit = { code: 'limit-exceeded', message: '"acl" of "extra" has over 256 items or 128 characters' }
  assert.throws(() => parseExtra(items(257)), limit)
  assert.throws(() => parseExtra(JSON.stringify({ acl: ['x'.repeat(129)] })), limit)
})

test('refuses to write lists that could not be read back', () => {
  for (const list of [
    [],
    ['a', 'a'],
    [''],
    ['\n'],
    ['x'.repeat(129)],
    Array.from({ length: 257 }, (_, i) => `${i}`),
  ]) {
    assert.throws(() => formatExtra({ ...UNRESTRICTED, packages: list }), TypeError)
  }
})

test('the effective restrictions are the intersection of all extra conditions', () => {
  assert.deepEqual(effectiveAttenuations(['declared a b']), UNRESTRICTED)
  const conditions = [
    'extra {"acl": ["a", "b"], "channel": ["latest/*", "edge"]}',
    'session-id x',
    'extra {"acl": ["b", "c"], "channel": ["latest/edge", "*"], "store_ids": ["s"]}',
  ]
  assert.deepEqual(effectiveAttenuations(conditions), {
    channels: ['latest/*', 'edge', 'latest/edge'],
    packages: null,
    permissions: ['b'],
    storeIds: ['s'],
  })
  const nothing = effectiveAttenuations(['extra {"acl": ["a"]}', 'extra {"acl": ["b"]}'])
  assert.deepEqual(nothing.permissions, [])
  assert.equal(permits(nothing, { permission: 'a' }), false)
  assert.equal(permits(nothing, { channel: 'edge' }), true)
  assert.throws(() => effectiveAttenuations(['extra']), { code: 'malformed-condition' })
})

test('permits matches channels against patterns, and compares everything else', () => {
  const a = { channels: ['2.*/stable'], packages: ['id1'], permissions: ['push'], storeIds: ['s1'] }
  const use = { channel: '2.1/stable', packageId: 'id1', permission: 'push', storeId: 's1' }
  assert.equal(permits(a, use), true)
  assert.equal(permits(a, { ...use, channel: '3/stable' }), false)
  assert.equal(permits(a, { ...use, packageId: 'id2' }), false)
  assert.equal(permits(a, { ...use, permission: '*' }), false)
  assert.equal(permits({ ...a, storeIds: ['*'] }, use), false)
  assert.equal(permits(UNRESTRICTED, use), true)
})
