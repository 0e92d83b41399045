/** Guarantee: a file with too much of something is refused before a parser works on it. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { csvFault, jsonFault } from './import-limits.ts'
import { ImportError, type ImportFormat, readImportRows } from './import-rows.ts'
import { streamImportRows } from './import-stream.ts'

const BYTES = 4 * 1024 * 1024
const PIECE = 64 * 1024
const filled = (text: string) => text.repeat(Math.ceil(BYTES / text.length))

const columns = ['serial']
/** Counts the calls of `JSON.parse` while `work` runs, which must be refused. */
async function parsedUntilRefused(message: RegExp, work: () => Promise<void> | void): Promise<number> {
  const { parse } = JSON
  const parsing = mock.method(JSON, 'parse', parse)
  try {
    await assert.rejects(
      async () => work(),
      (error) => error instanceof ImportError && message.test(error.message),
    )
    return parsing.mock.callCount()
  } finally {
    parsing.mock.restore()
  }
}

for (const [what, format, text, message] of [
  ['commas', 'csv', filled(','), /^line 1: this line has more than 64 columns/],
  ['commas after a header line', 'csv', `serial\n${filled(',')}`, /^line 2: this line has more than 64 col/],
  ['lines of commas', 'csv', filled(`${','.repeat(63)}\n`), /more than 500000 values/],
  ['short lines', 'csv', filled('a\n'), /more than 500000 values/],
  ['brackets', 'json', filled('['), /nested more than 8 levels/],
  ['objects in objects', 'json', filled('{"a":'), /nested more than 8 levels/],
  ['empty lists', 'json', `[${filled('[],')}[]]`, /more than 500000 values/],
  ['empty lines', 'ndjson', filled('\n'), /more than 500000 values/],
  ['brackets in a line', 'ndjson', filled('['), /nested more than 8 levels/],
] as const) {
  test(`${format}: refuses a file of ${what} before parsing it`, async () => {
    const parsed = await parsedUntilRefused(
      message,
      () => void readImportRows(text, { format, columns, need: 'all' }),
    )
    assert.equal(parsed, 0)
  })
}

const ROWS = 100_000
const four = { a: 1, b: 2, c: 3, d: 4 }
for (const [what, format, text] of [
  ['a line end of one byte', 'csv', `serial,b,c,d\n${'1,2,3,4\n'.repeat(ROWS)}`],
  ['line ends of two bytes', 'csv', `serial,b,c,d\r\n${'1,2,3,4\r\n'.repeat(ROWS)}`],
  ['no spaces', 'json', JSON.stringify(Array(ROWS).fill(four))],
  ['a line for each value', 'json', JSON.stringify(Array(ROWS).fill(four), undefined, 2)],
] as const) {
  test(`${format}: accepts ${ROWS} rows of four values with ${what}`, () => {
    assert.equal(format === 'csv' ? csvFault(text, ',') : jsonFault(text), undefined)
  })
}

for (const [what, format, text, message] of [
  ['commas', 'csv', filled(','), /more than 64 columns/],
  ['brackets', 'json', `[${filled('[')}`, /^An item has more|nested more than 8 levels|not a JSON list/],
  ['brackets in a line', 'ndjson', `${filled('[')}\n`, /nested more than 8 levels/],
] as const satisfies readonly (readonly [string, ImportFormat, string, RegExp])[]) {
  test(`${format}, as a stream: refuses a file of ${what} before parsing it`, async () => {
    let pieces = 0
    async function* open() {
      for (let at = 0; at < text.length; at += PIECE) {
        pieces++
        yield Buffer.from(text.slice(at, at + PIECE))
      }
    }
    const parsed = await parsedUntilRefused(message, async () => {
      for await (const _row of streamImportRows({ format, open }));
    })
    assert.equal(parsed, 0)
    if (format === 'csv') assert.ok(pieces <= 2, `${pieces} pieces were read`)
  })
}

test('separators in quotes do not count as columns, and 64 columns are accepted', async () => {
  const header = Array.from({ length: 64 }, (_, index) => (index === 0 ? 'serial' : `c${index}`)).join()
  const row = `"${','.repeat(100)}\n""x"${',y'.repeat(63)}`
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `${header}${end}${row}${end}`
    assert.equal(readImportRows(text, { format: 'csv', columns, need: 'all' }).length, 1)
    const rows = []
    for await (const one of streamImportRows({
      format: 'csv',
      open: async function* () {
        yield Buffer.from(text)
      },
    }))
      rows.push(one)
    assert.equal(rows.length, 1)
  }
})
