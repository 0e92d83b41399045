/** Tables as spreadsheets save them are read as their author saw them, regardless of the machine's language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImportRows } from './import-rows.ts'
import { streamImportRows } from './import-stream.ts'

const ROWS = [
  { serial: 'AC-1', device_key_id: 'k;1' },
  { serial: 'AC,2', device_key_id: '' },
]

const TABLES: Readonly<Record<string, string>> = {
  'with commas': 'serial,device_key_id\nAC-1,k;1\n"AC,2",\n',
  'with semicolons': 'serial;device_key_id\r\nAC-1;"k;1"\r\nAC,2;\r\n',
  'with tabs': 'serial\tdevice_key_id\r\nAC-1\tk;1\r\nAC,2\t\r\n',
  'with a line sep=;': 'sep=;\r\nserial;device_key_id\r\nAC-1;"k;1"\r\nAC,2;\r\n',
  'with a line sep= for a tab': '"sep=\t"\r\nserial\tdevice_key_id\r\nAC-1\tk;1\r\nAC,2\t\r\n',
  'with names in capitals': 'Serial; DEVICE_KEY_ID \r\nAC-1;"k;1"\r\nAC,2;\r\n',
  'with names in quotes, and a separator in one': '"serial";"device_key_id";"a,b"\nAC-1;"k;1";x\nAC,2;;x\n',
  'with empty lines and lines of separators':
    '\r\nserial;device_key_id\r\n\r\nAC-1;"k;1"\r\n;\r\nAC,2;\r\n;\r\n',
}

const form = { format: 'csv', columns: ['serial', 'device_key_id'], need: 'all' } as const

for (const [what, text] of Object.entries(TABLES)) {
  test(`reads a table ${what}, whole and in pieces`, async () => {
    assert.deepEqual(
      readImportRows(text, form).map(({ fields }) => fields),
      ROWS,
    )
    for (const size of [1, 7, 1000]) {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
      async function* open() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const rows: unknown[] = []
      for await (const { fields } of streamImportRows({ format: 'csv', open })) {
        rows.push({ serial: fields['serial'], device_key_id: fields['device_key_id'] })
      }
      assert.deepEqual(rows, ROWS)
    }
  })
}

test("messages name the file's lines", () => {
  const rows = readImportRows('sep=;\r\nserial;device_key_id\r\n;\r\nAC-1;k\r\n', form)
  assert.deepEqual(
    rows.map(({ place }) => place),
    ['line 4'],
  )
})

test('refuses bytes that are not text in a table that is read in pieces', async () => {
  async function* open() {
    yield Buffer.from('serial\nA\n')
    yield Buffer.from([0xe9, 0x0a])
  }
  await assert.rejects(async () => {
    for await (const _ of streamImportRows({ format: 'csv', open }));
  }, /^ImportError: The file is not UTF-8 text\. Save it as UTF-8\.$/)
})
