import type { Migration } from '../migration.ts'

/** What happened in each hour and day, so that nobody counts it in the large tables; and which processes run. */
export const counters: Migration = {
  name: '0022-counters',
  statements: ({ instant, strict }) => [
    // "span" is h for an hour, d for a day, both in UTC; "at" is its beginning. "brand_id" is '(all)' for the whole
    // service, '(other)' for brands that are not counted apart. "n" is as wide as an
    // instant: an hour may have more than fits into 32 bits.
    `create table counter (
      name text not null,
      brand_id text not null,
      span text not null,
      at ${instant} not null,
      label text not null,
      n ${instant} not null,
      constraint counter_name_brand_id_span_at_label_key primary key (name, brand_id, span, at, label)
    )${strict}`,
    'create index counter_span_at on counter (span, at)',

    // "seen_at" is by the database's clock.
    `create table service_process (
      id text not null constraint service_process_id_key primary key,
      host text not null,
      release text not null,
      seen_at ${instant} not null
    )${strict}`,
  ],
}
