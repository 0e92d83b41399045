import type { Migration } from '../migration.ts'

/** Each row is a trigger: which change of a table takes something away, and which column identifies it. */
const ANNOUNCED: readonly {
  readonly kind: string
  readonly table: string
  readonly id: string
  readonly on: 'insert' | 'update' | 'delete'
  readonly when?: string
}[] = [
  {
    kind: 'token-session',
    table: 'token_session',
    id: 'session_id',
    on: 'update',
    when: '(old.revoked_at, old.valid_until, old.account_id) is distinct from (new.revoked_at, new.valid_until, new.account_id)',
  },
  // Expired rows are deleted in bulk, and no node needs to hear of it.
  {
    kind: 'token-session',
    table: 'token_session',
    id: 'session_id',
    on: 'delete',
    when: 'old.valid_until > extract(epoch from clock_timestamp()) * 1000',
  },
  { kind: 'account', table: 'account', id: 'id', on: 'update', when: 'old is distinct from new' },
  { kind: 'account', table: 'account', id: 'id', on: 'delete' },
  {
    kind: 'device',
    table: 'device',
    id: 'id',
    on: 'update',
    when: `old.status = 'active' and (old.status, old.quarantined_at, old.serial) is distinct from (new.status, new.quarantined_at, new.serial)`,
  },
  { kind: 'device', table: 'device', id: 'id', on: 'delete', when: `old.status = 'active'` },
  { kind: 'root-key', table: 'root_key', id: 'id', on: 'insert' },
  { kind: 'key-pair', table: 'key_pair', id: 'id', on: 'insert' },
  {
    kind: 'signing-key',
    table: 'signing_key',
    id: 'key_id',
    on: 'update',
    when: 'old.disabled_at is distinct from new.disabled_at',
  },
  { kind: 'signing-key', table: 'signing_key', id: 'key_id', on: 'delete' },
  {
    kind: 'api-key',
    table: 'api_key',
    id: 'id',
    on: 'update',
    when: 'old.revoked_at is distinct from new.revoked_at',
  },
  { kind: 'api-key', table: 'api_key', id: 'id', on: 'delete' },
  { kind: 'trust-root', table: 'trust_root', id: 'account_id', on: 'delete' },
]

/**
 * On PostgreSQL every change that takes something away notifies the nodes, in its own transaction. Triggers do it, so
 * that no path is missed: no command, no older release, no `psql`. The message tells
 * the process that made the change, which then need not wait for what it will be notified of.
 * See docs/decisions/0021-what-nodes-remember.md.
 */
export const changes: Migration = {
  name: '0004-changes',
  statements: ({ notifies }) => {
    if (!notifies) return []
    return [
      `create function ratafia_announce() returns trigger language plpgsql as $$
        declare
          change text := tg_argv[0] || ' ' ||
            (to_jsonb(case tg_op when 'INSERT' then new else old end) ->> tg_argv[1]);
        begin
          perform pg_notify('ratafia_change', change);
          raise info 'ratafia_change %', change;
          return null;
        end
      $$`,
      ...ANNOUNCED.map(
        ({ kind, table, id, on, when }) =>
          `create trigger ${table}_announce_${on} after ${on} on ${table} for each row ${
            when === undefined ? '' : `when (${when})`
          } execute function ratafia_announce('${kind}', '${id}')`,
      ),
    ]
  },
}
