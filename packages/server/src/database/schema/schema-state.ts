/** Whether the schema of a database fits this code. */
import type { Database } from '../database.ts'
import { migrationsDone, SchemaError } from './bookkeeping.ts'
import type { Migration } from './migration.ts'
import { migrations as ours } from './migrations/index.ts'

/** `older` lacks something this code needs; `newer` has it and more; `contracted` has dropped some of it. */
export type SchemaState = 'current' | 'older' | 'newer' | 'contracted'

/** Returns the state of the schema for a running process, because another may have migrated it since. */
export async function schemaState({ query, kind }: Database, migrations = ours): Promise<SchemaState> {
  const done = new Set(await migrationsDone(query, kind))
  if (migrations.some(({ name }) => !done.has(name))) return 'older'
  const unknown = unknownOf(done, migrations)
  if (unknown.some(contracts)) return 'contracted'
  return unknown.length > 0 ? 'newer' : 'current'
}

/** For commands that leave the schema alone. Throws {@link SchemaError} if this code can't work with it. */
export async function requireCurrentSchema({ query, kind }: Database, migrations = ours): Promise<void> {
  const done = new Set(await migrationsDone(query, kind))
  refuseNewer(done, migrations)
  if (migrations.some(({ name }) => !done.has(name))) {
    throw new SchemaError(
      'schema-too-old',
      done.size === 0
        ? 'The database has no tables of Ratafia yet: run `ratafia migrate`, or start the service once.'
        : 'The schema of the database is older than this version of Ratafia: run `ratafia migrate`.',
    )
  }
}

/** Whether a migration drops something. Its name, `NNNN-contract-what`, lets older code recognise this. */
export const contracts = (name: string): boolean => /^[0-9]+-contract-/.test(name)

/** Refuses migrations that drop something. Additions are fine: old and new nodes run together in a rolling upgrade. */
export function refuseNewer(done: Iterable<string>, migrations: readonly Migration[]): void {
  refuseUnknown([...done].filter(contracts), migrations)
}

export function refuseUnknown(names: Iterable<string>, migrations: readonly Migration[]): void {
  const unknown = unknownOf(names, migrations)
  if (unknown.length === 0) return
  throw new SchemaError(
    'schema-too-new',
    `The database was migrated by a newer version of Ratafia (${unknown.join(', ')}): ` +
      'start that version, or restore a backup from before.',
  )
}

function unknownOf(names: Iterable<string>, migrations: readonly Migration[]): readonly string[] {
  const known = new Set(migrations.map(({ name }) => name))
  return [...names].filter((name) => !known.has(name)).sort()
}
