/** What the database itself has to watch over. */
import type { Check } from './check.ts'

export const SCHEMA_CHECKS: readonly Check[] = [
  {
    name: 'schema',
    holds: 'Every table, column, index, constraint and trigger of the migrations is there.',
    async *find({ rows }) {
      for await (const what of rows.missingFromSchema()) yield `There is no ${what}.`
    },
  },
  {
    name: 'references',
    holds: 'What a row refers to is there: sessions have their account or device, keys their brand.',
    async *find({ rows }) {
      for await (const { table, columns, to, count, example } of rows.danglingReferences()) {
        yield `${count} rows of ${table} refer by ${columns} to nothing in ${to}, such as ${example}.`
      }
    },
  },
]
