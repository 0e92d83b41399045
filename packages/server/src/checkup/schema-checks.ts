/** What the database itself must enforce. */
import type { Check } from './check.ts'

export const SCHEMA_CHECKS: readonly Check[] = [
  {
    name: 'schema',
    holds: 'Every table, column, index, constraint and trigger of the migrations exists.',
    async *find({ schema }) {
      for await (const what of schema.missingFromSchema()) yield `There is no ${what}.`
    },
  },
  {
    name: 'references',
    holds: 'Every row that a row refers to exists: sessions have their account or device, keys their brand.',
    async *find({ schema }) {
      for await (const { table, columns, to, count, example } of schema.danglingReferences()) {
        yield `${count} rows of ${table} refer by ${columns} to nothing in ${to}, such as ${example}.`
      }
    },
  },
]
