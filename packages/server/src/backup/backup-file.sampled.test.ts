/** Tests the backup file: a written file can be read, and one that was cut short or changed is refused. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createGzip, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { FULL } from '../../../../tools/test/effort.ts'
import { ImportError } from '../files/import-rows.ts'
import { backupText } from './back-up.ts'
import { type BackupRow, FORMAT, type Header, type TableHead } from './backup-file.ts'
import { readBackup } from './read-backup.ts'

/** The distance between the positions that are tried. The quick run skips most. */
const STRIDE = FULL ? 1 : 64

const HEADER: Header = {
  release: '1',
  madeAt: '2027-01-31T09:30:00.000Z',
  database: 'sqlite',
  migrations: ['0001'],
}
const COLUMNS = [
  { name: 'id', kind: 'text' },
  { name: 'at', kind: 'integer' },
  { name: 'bytes', kind: 'bytes' },
  { name: 'share', kind: 'real' },
] as const

interface Content {
  readonly header: Header
  readonly tables: readonly (TableHead & { readonly rows: readonly BackupRow[] })[]
}

async function written({ header, tables }: Content): Promise<Buffer> {
  async function* all() {
    for (const { table, columns, rows } of tables) {
      async function* pages() {
        yield rows
      }
      yield { table, columns, pages: pages() }
    }
  }
  const parts: string[] = []
  for await (const text of backupText(header, all())) parts.push(text)
  return gzipSync(parts.join(''))
}

async function read(file: Uint8Array, chunk = 64): Promise<Content> {
  let header: Header | undefined
  const tables: (TableHead & { rows: BackupRow[] })[] = []
  async function* source() {
    for (let at = 0; at < file.length; at += chunk) yield file.subarray(at, at + chunk)
  }
  await readBackup(source(), {
    header: async (value) => {
      header = value
    },
    table: async (head) => {
      tables.push({ ...head, rows: [] })
    },
    rows: async (rows) => {
      tables.at(-1)?.rows.push(...rows)
    },
  })
  return { header: header ?? assert.fail('no header'), tables }
}

const EXAMPLE: Content = {
  header: HEADER,
  tables: [
    { table: 'empty', columns: COLUMNS, rows: [] },
    {
      table: 'full',
      columns: COLUMNS,
      rows: Array.from({ length: 600 }, (_, at) => [`é\n"${at}`, at, Buffer.of(at & 255, 0, 10), null]),
    },
  ],
}

test('reads back what it wrote, with any values and chunks', async () => {
  const value = fc.tuple(
    fc.option(fc.string({ unit: 'binary' })),
    fc.option(fc.maxSafeInteger()),
    fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
    fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 20 }),
      fc.integer({ min: 1, max: 300 }),
      async (rows, chunk) => {
        const content = { header: HEADER, tables: [{ table: 'full', columns: COLUMNS, rows }] }
        assert.deepEqual(await read(await written(content), chunk), content)
      },
    ),
    { numRuns: FULL ? 50 : 20 },
  )
  assert.deepEqual(await read(await written(EXAMPLE)), EXAMPLE)
})

const refused = (error: unknown): boolean => {
  assert.ok(error instanceof ImportError, String(error))
  assert.match(error.message, /^The file (is damaged, or not a backup|has the format)/)
  return true
}

test('refuses a file cut short anywhere, as gzip and as text', async () => {
  const file = await written(EXAMPLE)
  for (let length = 0; length < file.length; length += 7 * STRIDE)
    await assert.rejects(read(file.subarray(0, length)), refused)
  const text = gunzipSync(file)
  for (let length = 0; length < text.length; length += 97 * STRIDE) {
    await assert.rejects(read(gzipSync(text.subarray(0, length))), refused)
  }
  const lines = text.toString().trimEnd().split('\n')
  for (const at of [0, 1, 2, 3, 300, lines.length - 1]) {
    const without = [...lines.slice(0, at), ...lines.slice(at + 1)].map((line) => `${line}\n`).join('')
    await assert.rejects(read(gzipSync(without)), refused)
  }
})

test('refuses a file with any byte changed, unless its content is the same', async () => {
  const file = await written(EXAMPLE)
  for (let at = 0; at < file.length; at += 5 * STRIDE) {
    const changed = Buffer.from(file)
    changed[at] = (changed[at] as number) ^ 0x10
    // Some bytes of gzip's header have no effect.
    const result = await read(changed).catch(refused)
    if (result !== true) assert.deepEqual(result, EXAMPLE, `byte ${at}`)
  }
  const text = gunzipSync(file)
  for (let at = 0; at < text.length; at += 61 * STRIDE) {
    const changed = Buffer.from(text)
    changed[at] = (changed[at] as number) ^ 1
    await assert.rejects(read(gzipSync(changed)), refused)
  }
})

test('refuses a file that is not a backup, or has a later format, with a reason', async () => {
  const text = gunzipSync(await written(EXAMPLE)).toString()
  for (const [content, says] of [
    [Buffer.from('SQLite format 3\0'), /it is not gzip/],
    [gzipSync(''), /cut short/],
    [gzipSync('[]\n'), /line 1 is not a header/],
    [
      gzipSync(text.replace(`"ratafia-backup":${FORMAT}`, '"ratafia-backup":2')),
      /has the format 2, .* release that made it \(1\)/,
    ],
    [gzipSync(`${text}[]\n`), /comes after the last one/],
    [gzipSync(text.replace(',null]', ',7,7]')), /values/],
    [gzipSync(text.replace(',0,"', ',"0","')), /a value that is not of the type integer/],
    [gzipSync(text.replace('"AAAK"', '"AA_K"')), /a value that is not of the type bytes/],
    [gzipSync(text.replace('"AAAK"', '"AAAK "')), /a value that is not of the type bytes/],
    [gzipSync(text.replace('"full"', '"empty"')), /line 3 begins a table a second time/],
    [gzipSync(text.replace('"full"', '"a b"')), /line 3 is not a table/],
    [gzipSync(text.replace('"at","integer"', '"id","integer"')), /line 2 is not a table/],
    [gzipSync(text.replace(/"columns":\[.*?\]\]/, '"columns":[]')), /line 2 is not a table/],
    [gzipSync(text.replace(HEADER.madeAt, '\\u001b[2J')), /line 1 is not a header/],
    [gzipSync(text.replace('"release":"1"', '"release":"\\u001b[2J"')), /line 1 is not a header/],
    [gzipSync(text.replace('"0001"', '"x\\u001b"')), /line 1 is not a header/],
    [gzipSync(text.replace('"sqlite"', '"oracle"')), /line 1 is not a header/],
    [gzipSync(`${text.split('\n')[0]}\n${'['.repeat(1e6)}\n`), /line 2 is not JSON/],
  ] as const) {
    await assert.rejects(read(content), (error: Error) => {
      refused(error)
      assert.match(error.message, says)
      return true
    })
  }
})

/** Yields gzip of `line` repeated `times` times, produced while it is read. */
async function* bomb(head: string, line: Buffer, times: number): AsyncGenerator<Buffer> {
  const gzip = createGzip()
  gzip.write(head)
  const written = (async () => {
    for (let at = 0; at < times; at++) {
      if (!gzip.write(line)) await once(gzip, 'drain')
    }
    gzip.end()
  })()
  written.catch(() => undefined)
  yield* gzip
}

test('refuses a file that unpacks to an endless line, and passes others on in pages of some megabytes', async () => {
  const [header = ''] = gunzipSync(await written(EXAMPLE))
    .toString()
    .split('\n')
  const ignoring = { header: async () => {}, table: async () => {}, rows: async () => {} }
  const endless = bomb(`${header}\n"`, Buffer.alloc(1024 * 1024, 'x'), 4096)
  await assert.rejects(readBackup(endless, ignoring), /: a line is too long\./)

  const head = `${header}\n{"table":"full","columns":[["id","text"]]}\n`
  const pages: number[] = []
  const large = Buffer.from(`["${'x'.repeat(3 * 1024 * 1024)}"]\n`)
  const rows = async (page: readonly BackupRow[]) => {
    pages.push(page.length)
  }
  await assert.rejects(readBackup(bomb(head, large, 20), { ...ignoring, rows }), /cut short/)
  assert.ok(pages.length >= 5 && Math.max(...pages) <= 3, `${pages}`)
})

test('refuses to write a row that no restore would accept', async () => {
  const rows = [['x'.repeat(33 * 1024 * 1024), 1, null, null]]
  await assert.rejects(written({ header: HEADER, tables: [{ table: 'full', columns: COLUMNS, rows }] }), {
    code: 'invalid-request',
    message: 'A row of the table full is larger than 32 MiB, and no restore would accept it.',
  })
})
