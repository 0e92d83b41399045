/** Tests the comparison of a restored database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, readTables } from './tables.ts'

const tables = (rows: Readonly<Record<string, readonly object[]>>) =>
  readTables(async (text) => {
    const [, name] = / from "(.*)"$/.exec(text) ?? []
    return (
      name === undefined ? Object.keys(rows).map((one) => ({ name: one })) : (rows[name] ?? [])
    ) as Record<string, unknown>[]
  }, 'sqlite')

const expected = { account: [{ id: 'A', at: 7 }], package: [{ name: 'P', sealed: Buffer.from('x') }] }

const CASES = [
  { says: 'finds no difference', found: { ...expected, account: [{ at: 7n, id: 'A' }] }, differ: [] },
  {
    says: 'finds a missing table',
    found: { account: expected.account },
    differ: ['the table package is missing'],
  },
  { says: 'finds a new table', found: { ...expected, more: [] }, differ: ['there is a new table more'] },
  {
    says: 'finds a missing row',
    found: { ...expected, account: [] },
    differ: ['account lacks {"at":"7","id":"A"}'],
  },
  {
    says: 'finds different bytes',
    found: { ...expected, package: [{ name: 'P', sealed: Buffer.from('y') }] },
    differ: [
      'package lacks {"name":"P","sealed":"78"}',
      'package has in addition {"name":"P","sealed":"79"}',
    ],
  },
] as const

for (const { says, found, differ } of CASES) {
  test(says, async () => {
    const both = { expected: await tables(expected), found: await tables(found) }
    assert.deepEqual(differences(both, new Set()), differ)
  })
}
