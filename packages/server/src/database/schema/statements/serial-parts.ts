/**
 * The index that finds serials by any part of them (`dialects/serial-parts.ts`). It has every three
 * consecutive characters of a serial, divided by the brand of the device, which never changes: a search among
 * one brand's devices reads no entry of another brand. See docs/decisions/0063-any-part-of-a-serial.md.
 */
import type { Words } from '../../differences.ts'

export const serialParts = ({ notifies }: Words): readonly string[] => (notifies ? POSTGRES : SQLITE)

/**
 * Uses only what is built in, unlike `pg_trgm`. The function is not declared safe in parallel, because
 * starting other processes takes longer than a search. Each search reads the entries that wait to be put into
 * the index, so their list is kept short.
 */
const POSTGRES = [
  `create function serial_parts(serial text, brand_id text) returns text[]
    language plpgsql immutable strict as $$
    declare
      parts text[] := array['brand ' || brand_id];
    begin
      for place in 1 .. length(serial) - 2 loop
        parts := parts || substr(serial, place, 3);
      end loop;
      return parts;
    end
  $$`,
  `create index device_serial_parts on device using gin (serial_parts(serial, brand_id))
    with (gin_pending_list_limit = 256)`,
]

/** `rowid` has the number of the brand in its upper bits, and counts from there. */
const ADD = `
    insert into searched_brand (brand_id) select new.brand_id
      where not exists (select 1 from searched_brand where brand_id = new.brand_id);
    insert into searched_serial (rowid, serial, device_id)
      select coalesce((select max(id) from searched_serial_content where id between number << 40 and (number + 1 << 40) - 1),
        number << 40) + 1, new.serial, new.id
      from searched_brand where brand_id = new.brand_id;`
/** Finds the entry by the serial, because `device` has no number that survives a `vacuum`. */
const REMOVE = `
    delete from searched_serial where rowid in (select rowid from searched_serial
      where serial match '"' || replace(old.serial, '"', '""') || '"' and device_id = old.id
        and rowid between (select number << 40 from searched_brand where brand_id = old.brand_id)
          and (select (number + 1 << 40) - 1 from searched_brand where brand_id = old.brand_id));`

/** Creates a trigger for serials of at least three characters. The index has no entry for shorter ones. */
const trigger = (on: string, row: 'old' | 'new', statements: string): string =>
  `create trigger searched_serial_${row}_${on} after ${on} on device for each row
    when length(${row}.serial) > 2${on === 'update' ? ' and old.serial <> new.serial' : ''} begin${statements}
  end`

const SQLITE = [
  `create table searched_brand (
    number integer constraint searched_brand_number_key primary key,
    brand_id text not null constraint searched_brand_brand_id_key unique
  ) strict`,
  `create virtual table searched_serial using fts5(serial, device_id unindexed, columnsize = 0,
    tokenize = 'trigram case_sensitive 1')`,
  trigger('insert', 'new', ADD),
  trigger('update', 'old', REMOVE),
  trigger('update', 'new', ADD),
  trigger('delete', 'old', REMOVE),
]
