import type { Words } from '../../../differences.ts'
import { type Announced, announcing } from '../../statements/announcing.ts'

/**
 * The triggers that announce changes to all processes (docs/decisions/0021-what-nodes-remember.md).
 * PostgreSQL notifies the nodes in the transaction of the change. SQLite has no notifications, so its
 * triggers write into `recent_change`, which the processes read.
 */
export const announcements = (words: Words): readonly string[] => {
  const announced = [...takenAway(words), ...BY_OPERATORS]
  if (!words.notifies) return [...RECENT_CHANGES, ...announcing(announced, words)]
  return [
    ...FUNCTIONS,
    ...announcing(announced, words),
    // A restore empties all tables. SQLite has no truncate, so there the triggers for each row announce it.
    ...[...new Set(announced.map(({ table }) => table))].map(
      (table) =>
        `create trigger ${table}_announce_truncate after truncate on ${table}
          for each statement execute function ratafia_announce_truncate()`,
    ),
  ]
}

/** The changes that revoke, disable or replace something. */
const takenAway = ({ notifies, now }: Words): readonly Announced[] => [
  {
    kind: 'token-session',
    table: 'token_session',
    id: ['session_id'],
    on: 'update',
    when: '(old.revoked_at, old.valid_until, old.account_id) is distinct from (new.revoked_at, new.valid_until, new.account_id)',
  },
  // Retention deletes expired rows in bulk, which no node needs to know.
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

const POLICY = [
  'registration',
  'proposed_serial',
  'taken_serial',
  'serial_template',
  'hardware_identity',
  'quarantine_clones',
]
const policyOf = (row: 'old' | 'new') => `(${POLICY.map((column) => `${row}.${column}`).join(', ')})`

/**
 * The other changes: those that only operators make and that registrations, sessions and logins read. Changes
 * of a table with a row for each device are never among them.
 */
const BY_OPERATORS: readonly Announced[] = [
  { kind: 'assertion', table: 'assertion', id: ['type', 'primary_key'], on: 'insert' },
  { kind: 'assertion', table: 'assertion', id: ['type', 'primary_key'], on: 'update' },
  { kind: 'assertion', table: 'assertion', id: ['type', 'primary_key'], on: 'delete' },
  { kind: 'trust-root', table: 'trust_root', id: ['account_id'], on: 'insert' },
  { kind: 'trust-root', table: 'trust_root', id: ['account_id'], on: 'update' },
  { kind: 'brand', table: 'brand', id: ['account_id'], on: 'insert' },
  { kind: 'brand', table: 'brand', id: ['account_id'], on: 'update' },
  { kind: 'brand', table: 'brand', id: ['account_id'], on: 'delete' },
  { kind: 'signing-key', table: 'signing_key', id: ['key_id'], on: 'insert' },
  { kind: 'model', table: 'model', id: ['brand_id', 'model'], on: 'insert' },
  // The model's next number goes up with each generated serial, and that is not announced.
  {
    kind: 'model',
    table: 'model',
    id: ['brand_id', 'model'],
    on: 'update',
    when: `${policyOf('old')} is distinct from ${policyOf('new')}`,
  },
  { kind: 'model', table: 'model', id: ['brand_id', 'model'], on: 'delete' },
  {
    kind: 'remodel',
    table: 'remodel',
    id: ['from_brand_id', 'from_model', 'to_brand_id', 'to_model'],
    on: 'insert',
  },
  {
    kind: 'remodel',
    table: 'remodel',
    id: ['from_brand_id', 'from_model', 'to_brand_id', 'to_model'],
    on: 'delete',
  },
  // As soon as a model has an API key, its devices need one.
  { kind: 'api-key', table: 'api_key', id: ['id'], on: 'insert' },
  { kind: 'agent', table: 'agent', id: ['name'], on: 'update' },
  { kind: 'agent', table: 'agent', id: ['name'], on: 'delete' },
  { kind: 'role-grant', table: 'role_grant', id: ['subject'], on: 'insert' },
  { kind: 'role-grant', table: 'role_grant', id: ['subject'], on: 'update' },
  { kind: 'role-grant', table: 'role_grant', id: ['subject'], on: 'delete' },
]

/** How many changes a process can miss. A process that missed more forgets everything it caches. */
const KEPT = 10_000

/** The newest row always stays, so that its number is not given again. */
const RECENT_CHANGES = [
  `create table recent_change (
    seq integer not null constraint recent_change_seq_key primary key,
    kind text not null,
    id text not null
  ) strict`,
  `create trigger recent_change_forget_insert after insert on recent_change for each row begin
    delete from recent_change where seq <= new.seq - ${KEPT};
  end`,
]

const FUNCTIONS = [
  // Triggers and stores announce through this one function. The notification is for the nodes. The message is
  // for the process that makes the change, so that it need not wait for its own notification. An id can be
  // too long for a notification; then a process that can't know the change forgets everything.
  `create function ratafia_announce_change(change text) returns void language plpgsql as $$
    declare
      announced text := case when octet_length(change) > 7000 then 'anything' else change end;
    begin
      perform pg_notify('ratafia_change', announced);
      raise info 'ratafia_change %', announced;
    end
  $$`,
  `create function ratafia_announce() returns trigger language plpgsql as $$
    declare
      changed jsonb := to_jsonb(case tg_op when 'INSERT' then new else old end);
    begin
      perform ratafia_announce_change(tg_argv[0] || ' ' || (
        select string_agg(changed ->> part, '/' order by place)
        from unnest(tg_argv[1:]) with ordinality as parts (part, place)
      ));
      return null;
    end
  $$`,
  `create function ratafia_announce_truncate() returns trigger language plpgsql as $$
    begin
      perform ratafia_announce_change('anything');
      return null;
    end
  $$`,
  // The role that changes a row can have another search_path, or an empty one.
  `do $$
    begin
      execute format('alter function ratafia_announce() set search_path = %I', current_schema());
      execute format('alter function ratafia_announce_truncate() set search_path = %I', current_schema());
    end
  $$`,
]
