/**
 * Tables whose changes may not be announced. Only triggers announce the changes of an older release, and of `psql`.
 * Where one is missing or does not run, or notifies on another server, a process would go on using what it remembers.
 * See docs/decisions/0021-what-nodes-remember.md.
 */
import type { Database } from '../database.ts'
import { distributedTables, presentTriggers } from '../schema/catalogue.ts'
import { triggerNames } from '../schema/migrated-names.ts'
import { CHANGE_KINDS, type ChangeKind, tableOf } from './row-change.ts'

/** Looks in the catalogue. Throws `Unavailable`, and whatever else the statements throw. */
export type FindUnannounced = () => Promise<ReadonlySet<ChangeKind>>

/** `warn` gets a sentence for the operator each time that it finds any. */
export function findUnannounced(
  database: Pick<Database, 'query' | 'kind'>,
  warn: (message: string) => void,
): FindUnannounced {
  return async () => {
    const missing = await withoutTriggers(database)
    // Their triggers run on whatever server has the row, where no process listens.
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

/** Those that lack a trigger of the migrations that announces, or where one does not run for this connection. */
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
    `This process may not receive every change of ${tables.join(', ')}: it reads what depends on them each time.`,
    silent.size > 0 &&
      `Triggers that announce changes of ${list(silent)} are missing or disabled: \`ratafia verify\` names them. Enable them or make them again, and restart the nodes.`,
    distributed.size > 0 &&
      `Citus distributes ${list(distributed)}, where triggers reach no node: nothing needs to be done.`,
  ]
    .filter(Boolean)
    .join(' ')
}
