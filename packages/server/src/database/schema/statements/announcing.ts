/**
 * The triggers that announce changes to all processes. Triggers catch changes from every source: a command,
 * an older release, `psql`. See docs/decisions/0021-what-nodes-remember.md.
 */
import type { Words } from '../../differences.ts'

/** A trigger: the change of a table that it announces, and the columns that identify the row. */
export interface Announced {
  readonly kind: string
  readonly table: string
  readonly id: readonly string[]
  readonly on: 'insert' | 'update' | 'delete'
  readonly when?: string | undefined
}

export function announcing(rows: readonly Announced[], { notifies }: Words): readonly string[] {
  return rows.map(({ kind, table, id, on, when }) => {
    const row = on === 'insert' ? 'new' : 'old'
    const announce = notifies
      ? `execute function ratafia_announce(${[kind, ...id].map((word) => `'${word}'`).join(', ')})`
      : `begin
        insert into recent_change (kind, id)
          values ('${kind}', ${id.map((column) => `${row}.${column}`).join(` || '/' || `)});
      end`
    return `create trigger ${table}_announce_${on} after ${on} on ${table} for each row ${
      when === undefined ? '' : `when (${when})`
    } ${announce}`
  })
}
