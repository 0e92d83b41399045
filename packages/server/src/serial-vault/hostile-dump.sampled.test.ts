// Guarantee: a damaged or hostile dump is refused, or read as rows that are checked; it never causes a different error.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../../tools/test/effort.ts'
import { ImportError } from '../files/import-rows.ts'
import { readDump } from './read-dump.ts'

const DATA = new URL('../../test/data/serial-vault/', import.meta.url)
const SQL = ['copy.sql', 'inserts.sql', 'column-inserts.sql', 'sqlite.sql'].map((name) =>
  readFileSync(new URL(name, DATA)),
)
const LOG = readFileSync(new URL('csv/signinglog.csv', DATA))
const NOW = new Date('2026-01-01T00:00:00Z')

/** A dump with a piece of it removed, and another inserted. */
const mutated = (originals: readonly Buffer[]) =>
  fc
    .tuple(
      fc.constantFrom(...originals),
      fc.nat(20_000),
      fc.nat(60),
      fc.oneof(
        fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom(
            "'",
            "''",
            '\\',
            '\\.',
            '\\N',
            '\t',
            '\n',
            ';',
            '(',
            ')',
            ',',
            '"',
            '\0',
            '--',
            '$$',
            "E'",
          )
          .map((text) => Buffer.from(text)),
        fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Buffer.from(text)),
      ),
    )
    .map(([bytes, at, removed, noise]) => {
      const start = at % bytes.length
      return Buffer.concat([bytes.subarray(0, start), noise, bytes.subarray(start + removed)])
    })

for (const [form, originals] of [
  ['sql', SQL],
  ['csv', [LOG]],
] as const) {
  test(`${form} can be damaged anywhere`, async () => {
    await fc.assert(
      fc.asyncProperty(mutated(originals), async (bytes) => {
        const file = { name: 'dump', table: 'signinglog', form, open: () => Readable.from([bytes]) }
        try {
          const { log } = await readDump([file], NOW)
          const holdings = log.resolve()
          const current = holdings.filter(({ gaveWayTo }) => !gaveWayTo)
          const names = current.map(({ brandId, model, serial }) => `${brandId}/${model}/${serial}`)
          const keys = current.map(({ brandId, model, deviceKeyId }) => `${brandId}/${model}/${deviceKeyId}`)
          assert.deepEqual([new Set(names).size, new Set(keys).size], [names.length, keys.length])
          for (const { serial, signedAt, revision } of holdings) {
            assert.match(serial, /^[^/\p{C}]{1,200}$/u)
            assert.ok(!Number.isNaN(signedAt.getTime()) && revision >= 0 && revision <= 999_999_999)
          }
        } catch (error) {
          assert.ok(error instanceof ImportError, String(error))
          assert.match(error.message, /^[^\p{Cc}]{1,1000}$/u)
        }
      }),
      sampled(1800),
    )
  })
}
