import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ImportError, readImportRows } from './import-rows.ts'
import { streamImportRows } from './import-stream.ts'

const readWhole = async (format: 'csv' | 'json', text: string) => {
  readImportRows(text, { format, columns: ['serial'], need: 'all' })
}
const readStream = async (format: 'csv' | 'json', text: string) => {
  for await (const _row of streamImportRows({ format, open: () => Readable.from([Buffer.from(text)]) }));
}

for (const [how, read] of [
  ['whole', readWhole],
  ['as a stream', readStream],
] as const) {
  for (const [what, format, text, message] of [
    // The parser quotes the text before the quote.
    ['a control character', 'csv', '\x7f"id"\nx', /^The file is not CSV: .* value is "\?"/],
    ['a long value', 'csv', `${'x'.repeat(5_000)}"\n`, /^The file is not CSV: .*x…$/],
    ['a control character', 'json', '[{"a": \x7f}]', /is not JSON: .*\?/],
    ['line breaks', 'json', '[{"a":\n\u0085\u2028}]', /is not JSON: .*\?/],
  ] as const) {
    test(`${format} with ${what}, read ${how}: reports one short line`, async () => {
      await assert.rejects(read(format, text), (error) => {
        assert.ok(error instanceof ImportError)
        assert.match(error.message, message)
        assert.match(error.message, /^[^\p{Cc}\p{Zl}\p{Zp}]{1,400}$/u)
        return true
      })
    })
  }
}
