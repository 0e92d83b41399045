import type { Migration } from '../migration.ts'

/**
 * One function on PostgreSQL through which everything is announced, by triggers and by stores. It tells the nodes, and by
 * a message the process that made the change. SQLite has no functions: its triggers write into `recent_change`.
 */
export const announcements: Migration = {
  name: '0013-announcements',
  statements: ({ notifies }) => {
    if (!notifies) return []
    return [
      // An id may be longer than a notification. Who does not know what changed forgets everything.
      `create function ratafia_announce_change(change text) returns void language plpgsql as $$
        declare
          announced text := case when octet_length(change) > 7000 then 'anything' else change end;
        begin
          perform pg_notify('ratafia_change', announced);
          raise info 'ratafia_change %', announced;
        end
      $$`,
      `create or replace function ratafia_announce() returns trigger language plpgsql as $$
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
      `create or replace function ratafia_announce_truncate() returns trigger language plpgsql as $$
        begin
          perform ratafia_announce_change('anything');
          return null;
        end
      $$`,
      // Whoever changes a row may have another search_path, or none.
      `do $$
        begin
          execute format('alter function ratafia_announce() set search_path = %I', current_schema());
          execute format('alter function ratafia_announce_truncate() set search_path = %I', current_schema());
        end
      $$`,
    ]
  },
}
