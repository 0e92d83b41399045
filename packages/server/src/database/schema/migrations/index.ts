import type { Migration } from '../migration.ts'
import { schema } from './0001-schema.ts'
import { setupLink } from './0002-setup-link.ts'

/** The migrations, in the order they run. Never edit a published one: add a new one at the end. */
export const migrations: readonly Migration[] = [
  schema,
  setupLink,
  // Add a new migration here.
]
