/**
 * Finds tables whose changes might not be announced. Only triggers announce changes made by an older release
 * or with `psql`. If one is missing, does not run, or notifies on another server, a process would keep using
 * outdated rows. See docs/decisions/0021-what-nodes-remember.md.
 */
import type { Database } from '../database.ts'
import { distributedTables, presentTriggers } from '../schema/catalogue.ts'
import { triggerNames } from '../schema/migrated-names.ts'
import { CHANGE_KINDS, type ChangeKind, tableOf } from './row-change.ts'

/** Checks the catalogue. Throws `Unavailable` and any other error of the statements. */
export type FindUnannounced = () => Promise<ReadonlySet<ChangeKind>>

/** Returns a function that checks once. `warn` gets a sentence for the operator each time that it finds such tables. */
export function findUnannounced(
  database: Pick<Database, 'query' | 'kind'>,
  warn: (message: string) => void,
): FindUnannounced {
  return async () => {
    const missing = await withoutTriggers(database)
    // Their triggers run on the server that has the row, and no process listens there.
    const distributed = await distributedTables(database.query, database.kind)
    const silent = new Set([...missing].filter((table) => !distributed.has(table)))
    const unannounced = CHANGE_KINDS.filter((kind) =>
      [silent, distributed].some((all) => all.has(tableOf(kind))),
    )
    if (unannounced.length > 0) warn(warningOf(unannounced.map(tableOf), { silent, distributed }))
    return new Set(unannounced)
  }
}

type Tables = ReadonlySet<string>

/** Returns the tables where an announcing trigger of the migrations is missing or doesn't run on this connection. */
async function withoutTriggers({ query, kind }: Pick<Database, 'query' | 'kind'>): Promise<Tables> {
  const present = await presentTriggers(query, kind)
  const missing = triggerNames(kind).filter(
    ({ table, name }) => name.startsWith(`${table}_announce_`) && !present.has(`${table}.${name}`),
  )
  return new Set(missing.map(({ table }) => table))
}

function warningOf(
  tables: readonly string[],
  { silent, distributed }: Readonly<Record<'silent' | 'distributed', Tables>>,
): string {
  const list = (which: Tables) => tables.filter((table) => which.has(table)).join(', ')
  return [
    `This process may miss changes of ${tables.join(', ')}, so it does not cache what depends on them.`,
    silent.size > 0 &&
      `Triggers that announce changes of ${list(silent)} are missing or disabled; \`ratafia verify\` lists them. Enable or recreate them, then restart the nodes.`,
    distributed.size > 0 &&
      `Citus distributes ${list(distributed)}, so their triggers cannot notify other nodes. You do not need to do anything.`,
  ]
    .filter(Boolean)
    .join(' ')
}
