import type { Words } from '../../differences.ts'
import type { Migration } from '../migration.ts'
import { announcing } from '../statements/announcing.ts'
import { shardedTable } from '../statements/sharded.ts'
import { takenAway } from './0004-changes.ts'

/**
 * Gives the five device tables their shard column `bucket`: ten bits of the device key's hash (`bucket.ts`), in
 * every key, so that the tables can be divided without being rewritten. It never comes first: ids grow with time, and a
 * look-up that knows no bucket uses the same index. `serial_holder` and `used_request_id` keep serials and request-ids
 * unique among all buckets. See docs/decisions/0044-a-bucket-in-every-key.md.
 */
export const buckets: Migration = {
  name: '0012-contract-buckets',
  statements: (words) => [
    ...Object.keys(COLUMNS).flatMap((table) => staged(table, words)),
    ...Object.keys(COLUMNS)
      .toReversed()
      .map((table) => `drop table ${table}`),
    ...tables(words),
    ...Object.entries(COLUMNS).map(
      ([table, columns]) => `insert into ${table} (bucket, ${columns})
        select bucket, ${columns} from staged_${table}`,
    ),
    // What was ever given under a serial: the revision of the next one follows it.
    `insert into serial_holder (brand_id, model, serial, bucket, device_id, revision)
      select brand_id, model, serial, max(bucket), max(device_id), max(revision) from (
        select brand_id, model, serial, revision,
          case when status in ('active', 'revoked') then bucket end as bucket,
          case when status in ('active', 'revoked') then id end as device_id
        from staged_device where status not in ('pending', 'rejected')
        union all
        select brand_id, model, serial, revision, null, null from staged_serial_assertion
      ) as given group by brand_id, model, serial`,
    `insert into used_request_id (request_id_hash, used_at)
      select request_id_hash, registered_at from staged_device_registration`,
    ...Object.keys(COLUMNS).map((table) => `drop table staged_${table}`),
    // A table takes its triggers with it.
    ...announcing(
      takenAway(words).filter(({ table }) => table === 'device'),
      words,
    ),
    ...(words.notifies
      ? [
          `create trigger device_announce_truncate after truncate on device
            for each statement execute function ratafia_announce_truncate()`,
        ]
      : []),
  ],
}

/** Of each table, before; a table comes after the one it refers to. */
const COLUMNS = {
  device: `id, brand_id, model, serial, device_key_id, status, revision, origin, original, request, registered_at,
    decided_at, decided_by, reason, quarantined_at, waits_in_narrow, waits_in_middle, waits_in_wide, last_session_at,
    removed_at`,
  serial_assertion: `brand_id, model, serial, revision, device_id, encoded, authority_id, signing_key_id, stored_at`,
  device_registration: `request_id_hash, device_id, request_hash, registered_at, address, user_agent`,
  device_session: `session_id, device_id, chain_id, previous_id, nonce_hash, request_hash, macaroon_id, store, opened_at,
    expires_at, address, user_agent`,
  clone_evidence: `device_id, kind, subject, first_seen_at, last_seen_at, times, details`,
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The rows of a table with their buckets. */
function staged(table: string, { placeIn }: Words): readonly string[] {
  if (table !== 'device') {
    return [
      `create table staged_${table} as
        select ${table}.*, staged_device.bucket from ${table} join staged_device on staged_device.id = ${table}.device_id`,
    ]
  }
  const bits = (character: number) =>
    `(${placeIn}('${BASE64URL}', substr(device_key_id, ${character}, 1)) - 1)`
  return [
    `create table staged_device as select *, ${bits(1)} * 16 + ${bits(2)} / 4 as bucket from device`,
    'create index staged_device_id on staged_device (id)',
  ]
}

const tables = (words: Words): readonly string[] => {
  const { bytes, bytewise, instant, integer, smallInteger } = words
  const bucketed = (name: string, columns: string) => shardedTable({ name, by: 'bucket', columns }, words)
  return [
    // One row for each device key of a model. `serial` is empty while nobody has chosen one. `request` is the
    // serial-request that waits for a decision. `original` is BRAND/MODEL/SERIAL of what a remodel began with. From
    // `removed_at` on a row has nothing personal; it stays for what refers to it.
    ...bucketed(
      'device',
      `
      id text not null,
      bucket ${smallInteger} not null constraint device_bucket_check check (bucket between 0 and 1023),
      brand_id text not null,
      model text not null,
      serial text not null,
      device_key_id text not null,
      status text not null constraint device_status_check
        check (status in ('pending', 'rejected', 'active', 'superseded', 'revoked')),
      revision ${integer},
      origin text not null
        constraint device_origin_check check (origin in ('registration', 'session', 'import')),
      original text,
      request ${bytes},
      registered_at ${instant} not null,
      decided_at ${instant},
      decided_by text,
      reason text,
      quarantined_at ${instant},
      waits_in_narrow text,
      waits_in_middle text,
      waits_in_wide text,
      last_session_at ${instant},
      removed_at ${instant},
      constraint device_id_bucket_key primary key (id, bucket),
      constraint device_serial_check check (serial <> '' or status in ('pending', 'rejected')),
      constraint device_request_check check (request is not null or status not in ('pending', 'rejected'))
    `,
    ),
    // A device key has one serial of a model.
    `create unique index device_brand_id_model_device_key_id_bucket_key
      on device (brand_id, model, device_key_id, bucket) where status <> 'superseded'`,
    // Each has the order of a list, newest last, so that a page reads only its own rows, and even a planner without
    // statistics does not choose a slower plan.
    'create index device_serial on device (serial, brand_id, model, id)',
    'create index device_key on device (device_key_id, brand_id, model, id)',
    'create index device_brand on device (brand_id, id)',
    'create index device_model on device (brand_id, model, id)',
    'create index device_model_status on device (brand_id, model, status, id)',
    'create index device_status on device (status, id)',
    'create index device_quarantined on device (id) where quarantined_at is not null',
    'create index device_registered on device (registered_at, id)',
    `create index device_serial_bytes on device (serial${bytewise}, id)`,
    // Let the count of a network's waiting devices read only an index.
    ...['narrow', 'middle', 'wide'].map(
      (width) => `create index device_waits_in_${width} on device (brand_id, model, waits_in_${width})
        where status = 'pending' and waits_in_${width} is not null`,
    ),

    // Who has a serial, and the highest revision that was ever given under it. A serial belongs to one device key, even
    // after its revocation; without a device, nobody has it now. There is no foreign key: this table is divided by its
    // serials, and the device is on another shard.
    ...shardedTable(
      {
        name: 'serial_holder',
        by: 'serial',
        columns: `
      brand_id text not null,
      model text not null,
      serial text not null,
      bucket ${smallInteger},
      device_id text,
      revision ${integer},
      constraint serial_holder_brand_id_model_serial_key primary key (brand_id, model, serial),
      constraint serial_holder_device_check check ((bucket is null) = (device_id is null))
    `,
      },
      words,
    ),

    // Byte for byte what was handed out, by revision.
    ...bucketed(
      'serial_assertion',
      `
      brand_id text not null,
      model text not null,
      serial text not null,
      revision ${integer} not null,
      bucket ${smallInteger} not null,
      device_id text not null,
      encoded ${bytes} not null,
      authority_id text not null,
      signing_key_id text not null,
      stored_at ${instant} not null,
      constraint serial_assertion_brand_id_model_serial_revision_bucket_key
        primary key (brand_id, model, serial, revision, bucket),
      constraint serial_assertion_device_fk foreign key (device_id, bucket) references device (id, bucket)
    `,
    ),
    'create index serial_assertion_device on serial_assertion (device_id, bucket)',

    // Each request-id that was used, with the hash of its request, by which a repeated request is recognised.
    ...bucketed(
      'device_registration',
      `
      request_id_hash ${bytes} not null,
      bucket ${smallInteger} not null,
      device_id text not null,
      request_hash ${bytes} not null,
      registered_at ${instant} not null,
      address text not null,
      user_agent text not null,
      constraint device_registration_request_id_hash_bucket_key primary key (request_id_hash, bucket),
      constraint device_registration_device_fk foreign key (device_id, bucket) references device (id, bucket)
    `,
    ),
    'create index device_registration_device on device_registration (device_id, bucket, registered_at)',
    'create index device_registration_at on device_registration (registered_at)',
    // Makes a request-id work for one device key of all, as long as it is valid.
    ...shardedTable(
      {
        name: 'used_request_id',
        by: 'request_id_hash',
        columns: `
      request_id_hash ${bytes} not null,
      used_at ${instant} not null,
      constraint used_request_id_request_id_hash_key primary key (request_id_hash)
    `,
      },
      words,
    ),
    'create index used_request_id_at on used_request_id (used_at)',

    // A chain is a session and what it was refreshed to. No macaroon is stored: its identifier opens nothing without
    // the root key. A nonce works once for a device key.
    ...bucketed(
      'device_session',
      `
      session_id text not null,
      bucket ${smallInteger} not null,
      device_id text not null,
      chain_id text not null,
      previous_id text,
      nonce_hash ${bytes} not null,
      request_hash ${bytes} not null,
      macaroon_id ${bytes} not null,
      store text,
      opened_at ${instant} not null,
      expires_at ${instant} not null,
      address text not null,
      user_agent text not null,
      constraint device_session_session_id_bucket_key primary key (session_id, bucket),
      constraint device_session_nonce_hash_bucket_key unique (nonce_hash, bucket),
      constraint device_session_device_fk foreign key (device_id, bucket) references device (id, bucket)
    `,
    ),
    'create index device_session_device on device_session (device_id, bucket, opened_at)',
    'create index device_session_chain on device_session (device_id, bucket, chain_id, opened_at)',
    'create index device_session_expires on device_session (expires_at)',

    // Evidence of a second holder of a device key or serial. `subject` is the other chain or the other key, `details` a
    // JSON object with what was seen.
    ...bucketed(
      'clone_evidence',
      `
      device_id text not null,
      bucket ${smallInteger} not null,
      kind text not null,
      subject text not null,
      first_seen_at ${instant} not null,
      last_seen_at ${instant} not null,
      times ${integer} not null,
      details text not null,
      constraint clone_evidence_device_id_kind_subject_bucket_key primary key (device_id, kind, subject, bucket),
      constraint clone_evidence_device_fk foreign key (device_id, bucket) references device (id, bucket)
    `,
    ),
    'create index clone_evidence_last_seen on clone_evidence (last_seen_at)',
  ]
}
