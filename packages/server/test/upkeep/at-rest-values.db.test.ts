/**
 * Decision 56 lists what the database stores sealed or hashed, with the reason for each column. This finds
 * missing ones.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { describeTables } from '../../src/database/schema/catalogue.ts'
import { tableNames } from '../../src/database/schema/migrated-names.ts'
import { eachDatabase } from '../support/databases.ts'

const PAGE = new URL('../../../../docs/decisions/0056-what-a-stolen-database-opens.md', import.meta.url)

/** Bytes that are meant to be readable: documents, public keys, files, identifiers that every client gets. */
const READABLE: ReadonlySet<string> = new Set([
  ...['agent.public_key', 'key_pair.public_key'],
  ...['assertion.encoded', 'trust_root.encoded', 'serial_assertion.encoded', 'hardware_identity.encoded'],
  ...['device.request', 'device_session.macaroon_id', 'job_part.body'],
])

/** Returns the columns that the page names: `table.column`, and `column` for more columns of the same table. */
function listedIn(page: string): ReadonlySet<string> {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  const names = rows.flatMap((row) => {
    let table = ''
    return [...(row.split('|')[1] ?? '').matchAll(/`(?:(\w+)\.)?(\w+)`/g)].map(([, named, column]) => {
      table = named ?? table
      return `${table}.${column}`
    })
  })
  return new Set(names)
}

eachDatabase((kind, open) => {
  test('Guarantee: every sealed or hashed value of the database has a reason, and every reason a value', async () => {
    const { query } = await open()
    const tables = await describeTables(query, kind, tableNames(kind))
    const found = tables.flatMap(({ name: table, columns }) =>
      columns
        .filter(({ name, kind }) => kind === 'bytes' || /hash|sealed|secret|digest|token_key/.test(name))
        .map(({ name }) => `${table}.${name}`),
    )
    const listed = listedIn(await readFile(PAGE, 'utf8'))
    const named = found.filter((column) => !READABLE.has(column)).sort()
    assert.deepEqual(named, [...listed].sort())
  })
})
