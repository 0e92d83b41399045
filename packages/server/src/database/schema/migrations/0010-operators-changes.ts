import type { Migration } from '../migration.ts'
import { type Announced, announcing } from '../statements/announcing.ts'
import { takenAway } from './0004-changes.ts'

/** Changes that are kept for a process that was not looking. One that missed more forgets all that it remembers. */
const KEPT = 10_000

const POLICY = [
  'registration',
  'proposed_serial',
  'taken_serial',
  'serial_template',
  'hardware_identity',
  'quarantine_clones',
]
const policyOf = (row: 'old' | 'new') => `(${POLICY.map((column) => `${row}.${column}`).join(', ')})`

/** What only operators change, and registrations, sessions and logins read. Never a table with a row for each device. */
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
  // Each serial that is made counts up the model's next number.
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
  // From its first key on, the devices of a model need one.
  { kind: 'api-key', table: 'api_key', id: ['id'], on: 'insert' },
  { kind: 'agent', table: 'agent', id: ['name'], on: 'update' },
  { kind: 'agent', table: 'agent', id: ['name'], on: 'delete' },
]

/**
 * Announces what operators change, and on SQLite everything. There the processes read it from a table, in which the
 * newest row always stays: its number must not be given again.
 */
export const operatorsChanges: Migration = {
  name: '0010-operators-changes',
  statements: (words) => {
    if (!words.notifies) {
      return [
        `create table recent_change (
          seq integer not null constraint recent_change_seq_key primary key,
          kind text not null,
          id text not null
        ) strict`,
        `create trigger recent_change_forget_insert after insert on recent_change for each row begin
          delete from recent_change where seq <= new.seq - ${KEPT};
        end`,
        ...announcing([...takenAway(words), ...BY_OPERATORS], words),
      ]
    }
    const tables = new Set([...takenAway(words), ...BY_OPERATORS].map(({ table }) => table))
    return [
      // The ids of operators' rows may have several parts, and be longer than a notification. Who does not know what
      // changed forgets everything.
      `create or replace function ratafia_announce() returns trigger language plpgsql as $$
        declare
          changed jsonb := to_jsonb(case tg_op when 'INSERT' then new else old end);
          change text := tg_argv[0] || ' ' || (
            select string_agg(changed ->> part, '/' order by place)
            from unnest(tg_argv[1:]) with ordinality as parts (part, place)
          );
        begin
          if octet_length(change) > 7000 then change := 'anything'; end if;
          perform pg_notify('ratafia_change', change);
          raise info 'ratafia_change %', change;
          return null;
        end
      $$`,
      ...announcing(BY_OPERATORS, words),
      // A restore empties all tables. On SQLite, which has no truncate, the triggers of each row do this.
      `create function ratafia_announce_truncate() returns trigger language plpgsql as $$
        begin
          perform pg_notify('ratafia_change', 'anything');
          raise info 'ratafia_change anything';
          return null;
        end
      $$`,
      ...[...tables].map(
        (table) =>
          `create trigger ${table}_announce_truncate after truncate on ${table}
            for each statement execute function ratafia_announce_truncate()`,
      ),
    ]
  },
}
