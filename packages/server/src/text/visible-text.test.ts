import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleText } from './visible-text.ts'

const cases: readonly [string, string][] = [
  ['build machine', 'build machine'],
  ['a\nb\u0000c\u001b[2J', 'a⟨U+000A⟩b⟨U+0000⟩c⟨U+001B⟩[2J'],
  ['safe\u202egnp.exe', 'safe⟨U+202E⟩gnp.exe'],
  ['\u2066x\u2069\u200b\ufeff', '⟨U+2066⟩x⟨U+2069⟩⟨U+200B⟩⟨U+FEFF⟩'],
  ['a\u2028b\u00a0\u3000c', 'a⟨U+2028⟩b c'],
  ['\u{e0041}\ud800', '⟨U+E0041⟩⟨U+D800⟩'],
  ['山田 é 🔑', '山田 é 🔑'],
  [`z${'\u0301'.repeat(50)}`, `z${'\u0301'.repeat(4)}`],
  ['<b>', '<b>'],
]
for (const [text, shown] of cases) {
  test(`shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => {
    assert.equal(visibleText(text, 80), shown)
  })
}

test('shortens a long text by characters, and adds an ellipsis', () => {
  assert.equal(visibleText('abcdef', 6), 'abcdef')
  assert.equal(visibleText('abcdefg', 6), 'abcdef…')
  assert.equal(visibleText('🔑🔑🔑', 2), '🔑🔑…')
  assert.equal(visibleText('x'.repeat(10_000_000), 5), 'xxxxx…')
})

test('no character that is invisible or reorders the text remains', () => {
  for (let point = 0; point <= 0xffff; point++) {
    const shown = visibleText(String.fromCharCode(point), 10)
    assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, point.toString(16))
  }
})
