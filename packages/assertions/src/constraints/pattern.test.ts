import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern } from './pattern.ts'

for (const [pattern, yes, no] of [
  ['', [''], ['a']],
  ['acme', ['acme'], ['acm', 'acmee', 'xacme', 'ACME', '']],
  ['acme-.*', ['acme-', 'acme-1'], ['acme', 'acme-\n']],
  ['a|bc|', ['a', 'bc', ''], ['b', 'ac', 'abc']],
  ['a(b|c)+d', ['abd', 'abccbd'], ['ad', 'abcd.']],
  ['(?:ab)*', ['', 'abab'], ['aba']],
  ['colou?r', ['color', 'colour'], ['colouur']],
  ['a{2}', ['aa'], ['a', 'aaa']],
  ['a{2,}', ['aa', 'aaaaa'], ['a']],
  ['a{0,2}b', ['b', 'aab'], ['aaab']],
  ['a{0}', [''], ['a']],
  ['a{x}', ['a{x}'], ['a']],
  ['a{,2}', ['a{,2}'], ['aa']],
  ['a+?b*?', ['a', 'aabb'], ['b']],
  ['[a-c0]', ['a', 'b', 'c', '0'], ['d', '-', 'ab']],
  ['[^a-c]', ['d', '\n'], ['a', '']],
  ['[]a]', [']', 'a'], ['[']],
  ['[a-]', ['a', '-'], ['b']],
  ['[\\d.]+', ['1.2'], ['1,2']],
  ['[\\]\\\\-]', [']', '\\', '-'], ['a']],
  ['\\d\\w\\s', ['1_ ', '2b\t'], ['١a ', '1é ']],
  ['\\D\\W\\S', ['a.x'], ['1.x']],
  ['\\.\\*\\-\\/', ['.*-/'], ['aa-/']],
  ['^a$', ['a'], ['^a$']],
  ['a^b', [], ['ab', 'a^b']],
  ['a$b|c', ['c'], ['a$b', 'ab']],
  ['$X', [], ['$X', 'X']],
  ['(^|x)a', ['a', 'xa'], ['ya']],
  ['..', ['ab', '😀é'], ['a', '\n\n']],
  ['((a*)*)*', ['', 'aaaa'], ['b']],
  ['(){0,300}', [''], ['a']],
] as const) {
  test(`the pattern ${JSON.stringify(pattern)} must match the whole text`, () => {
    const matches = compilePattern(pattern)
    for (const text of yes) assert.ok(matches(text), `matches ${JSON.stringify(text)}`)
    for (const text of no) assert.ok(!matches(text), `does not match ${JSON.stringify(text)}`)
  })
}

for (const [pattern, message] of [
  ['(', 'missing )'],
  [')', 'unexpected )'],
  ['a)', 'unexpected )'],
  ['[', 'missing ]'],
  ['[]', 'missing ]'],
  ['[a', 'missing ]'],
  ['[b-a]', 'a range must be in ascending order'],
  ['[\\d-a]', 'a range needs two characters'],
  ['[[:alpha:]]', 'named classes are not supported'],
  ['*', 'nothing to repeat before *'],
  ['a|+', 'nothing to repeat before +'],
  ['a**', 'repetition of a repetition'],
  ['a*{2}', 'repetition of a repetition'],
  ['a{1001}', 'the counts of a repetition must be in ascending order and at most 1000'],
  ['a{2,1}', 'the counts of a repetition must be in ascending order and at most 1000'],
  ['\\', 'unknown escape \\'],
  ['\\b', 'unknown escape \\b'],
  ['\\1', 'unknown escape \\1'],
  ['\\pL', 'unknown escape \\p'],
  ['(?i)a', 'groups can only begin with ( or (?:'],
  ['(?=a)', 'groups can only begin with ( or (?:'],
  ['(a{1000}){1000}', 'the pattern is too large'],
  ['(((){1000}){1000}){1000}', 'the pattern is too large'],
  ['('.repeat(200), 'groups nest too deep'],
] as const) {
  test(`refuses the pattern ${JSON.stringify(pattern.slice(0, 30))}`, () => {
    assert.throws(() => compilePattern(pattern), { name: 'SyntaxError', message })
  })
}

// Guarantee: the work is at most the pattern's steps times the text's characters. A backtracking engine would hang.
test('answers at once for patterns that make backtracking engines hang', () => {
  const text = `${'a'.repeat(4000)}!`
  const begin = process.cpuUsage()
  for (const pattern of ['(a+)+', '(a|a)*', '(a*)*b', '(.*.*.*)*x', 'a?'.repeat(100) + 'a'.repeat(100)]) {
    assert.ok(!compilePattern(pattern)(text))
  }
  assert.ok(process.cpuUsage(begin).user < 5_000_000)
})

test('no pattern matches a string of more than 4096 characters', () => {
  assert.ok(compilePattern('a*')('a'.repeat(4096)))
  assert.ok(!compilePattern('a*')('a'.repeat(4097)))
})
