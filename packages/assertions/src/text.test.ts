// Guarantee: foreign text in a message is short, stays on one line, and can't reorder or hide the text around it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote, shown } from './text.ts'

for (const [what, text, quoted] of [
  ['quotes and backslashes', 'mo"\\del', '"mo\\"\\\\del"'],
  ['NUL', 'a\0b', '"a\\x00b"'],
  ['a tab and a line end', 'a\tb\nc', '"a\\tb\\nc"'],
  ['a byte order mark', '\u{feff}type', '"\\ufefftype"'],
  ['a change of direction', 'a\u202eb', '"a\\u202eb"'],
  ['a line separator', 'a\u2028b', '"a\\u2028b"'],
  ['a space of a different width', 'a\u2003b', '"a\\u2003b"'],
  ['a long text', 'm'.repeat(201), `"${'m'.repeat(200)}…"`],
  ['plain text', 'modèle 1', '"modèle 1"'],
] as const) {
  test(`quotes ${what} as ${quoted.slice(0, 20)}`, () => {
    assert.equal(quote(text), quoted)
    if (what !== 'quotes and backslashes') assert.equal(shown(text), quoted.slice(1, -1))
  })
}
