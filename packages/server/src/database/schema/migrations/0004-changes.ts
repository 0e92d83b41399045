import type { Words } from '../../differences.ts'
import type { Migration } from '../migration.ts'
import { type Announced, announcing } from '../statements/announcing.ts'

/** The changes that take something away. On SQLite they are announced since migration 0010. */
export const takenAway = ({ notifies, now }: Words): readonly Announced[] => [
  {
    kind: 'token-session',
    table: 'token_session',
    id: ['session_id'],
    on: 'update',
    when: '(old.revoked_at, old.valid_until, old.account_id) is distinct from (new.revoked_at, new.valid_until, new.account_id)',
  },
  // Expired rows are deleted in bulk, and no node needs to hear of it.
  {
    kind: 'token-session',
    table: 'token_session',
    id: ['session_id'],
    on: 'delete',
    when: `old.valid_until > ${now}`,
  },
  {
    kind: 'account',
    table: 'account',
    id: ['id'],
    on: 'update',
    when: notifies ? 'old is distinct from new' : undefined,
  },
  { kind: 'account', table: 'account', id: ['id'], on: 'delete' },
  {
    kind: 'device',
    table: 'device',
    id: ['id'],
    on: 'update',
    when: `old.status = 'active' and (old.status, old.quarantined_at, old.serial) is distinct from (new.status, new.quarantined_at, new.serial)`,
  },
  { kind: 'device', table: 'device', id: ['id'], on: 'delete', when: `old.status = 'active'` },
  { kind: 'root-key', table: 'root_key', id: ['id'], on: 'insert' },
  { kind: 'key-pair', table: 'key_pair', id: ['id'], on: 'insert' },
  {
    kind: 'signing-key',
    table: 'signing_key',
    id: ['key_id'],
    on: 'update',
    when: 'old.disabled_at is distinct from new.disabled_at',
  },
  { kind: 'signing-key', table: 'signing_key', id: ['key_id'], on: 'delete' },
  {
    kind: 'api-key',
    table: 'api_key',
    id: ['id'],
    on: 'update',
    when: 'old.revoked_at is distinct from new.revoked_at',
  },
  { kind: 'api-key', table: 'api_key', id: ['id'], on: 'delete' },
  { kind: 'trust-root', table: 'trust_root', id: ['account_id'], on: 'delete' },
]

/**
 * On PostgreSQL every change that takes something away notifies the nodes, in its own transaction. The message tells
 * the process that made the change, which then need not wait for what it will be notified of.
 */
export const changes: Migration = {
  name: '0004-changes',
  statements: (words) => {
    if (!words.notifies) return []
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
      ...announcing(takenAway(words), words),
    ]
  },
}
