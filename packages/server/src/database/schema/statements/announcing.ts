/**
 * The triggers that announce changes to all processes. Triggers do it, so that no path is missed: no command, no older
 * release, no `psql`. See docs/decisions/0021-what-nodes-remember.md.
 */
import type { Words } from '../../differences.ts'

/** A trigger: which change of a table is announced, and which columns identify the row. */
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
