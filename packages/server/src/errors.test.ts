import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote } from './errors.ts'

test("quotes a client's text shortened, without line breaks or control characters", () => {
  assert.equal(quote('a"b\n\x1b\x7f\x85\u2028é'), '"a\\"b\\n\\u001b\\u007f\\u0085\\u2028é"')
  assert.equal(quote('x'.repeat(65)), `"${'x'.repeat(64)}…"`)
})
