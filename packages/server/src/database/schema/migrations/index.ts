import type { Migration } from '../migration.ts'
import { schema } from './0001-schema.ts'

/** The migrations, in the order they run. Never edit a published one: add a new one at the end. */
export const migrations: readonly Migration[] = [
  schema,
  // Add a new migration here.
]
