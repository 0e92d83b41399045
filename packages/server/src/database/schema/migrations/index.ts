import type { Migration } from '../migration.ts'
import { schema } from './0001-schema.ts'

/** In the order they run. A published one is never edited: a change is a new one at the end. */
export const migrations: readonly Migration[] = [
  schema,
  // A new one comes here.
]
