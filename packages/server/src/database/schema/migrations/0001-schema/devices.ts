import type { Words } from '../../../differences.ts'
import { serialParts } from '../../statements/serial-parts.ts'
import { shardedTable } from '../../statements/sharded.ts'

/**
 * The register of devices: which key has which serial, who requested what, each device's sessions, and the
 * data for lists of a large register. Most of these tables can be divided by `bucket`, ten bits of the device
 * key's hash (`bucket.ts`), which is part of every key. It never comes first in a key: ids grow with time,
 * and a look-up that doesn't know the bucket uses the same index. See
 * docs/decisions/0044-a-bucket-in-every-key.md.
 */
export const devices = (words: Words): readonly string[] => {
  const { bytes, bytewise, instant, integer, smallInteger, strict } = words
  return [
    // One row for each device key of a model. "serial" is empty until one is chosen. "request" is the
    // serial-request that waits for a decision, and "waits_in_…" has the networks of the address it came
    // from, narrowest first; both are null when the device does not wait. "original" is BRAND/MODEL/SERIAL
    // from before the first remodel. "last_session_at" is written when retention removes a device's last
    // session. After "removed_at" the row has no personal data; it stays because other rows refer to it, and
    // so that its serial and key are not given again.
    ...shardedTable(
      {
        name: 'device',
        by: 'bucket',
        columns: `
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
      },
      words,
    ),
    // A device key has one serial per model.
    `create unique index device_brand_id_model_device_key_id_bucket_key
      on device (brand_id, model, device_key_id, bucket) where status <> 'superseded'`,
    // Each has the order of one list, newest last, so that a page reads only its own rows, and even a planner
    // without statistics does not choose a slower plan.
    'create index device_serial on device (serial, brand_id, model, id)',
    'create index device_key on device (device_key_id, brand_id, model, id)',
    'create index device_brand on device (brand_id, id)',
    'create index device_model on device (brand_id, model, id)',
    'create index device_model_status on device (brand_id, model, status, id)',
    'create index device_status on device (status, id)',
    'create index device_quarantined on device (id) where quarantined_at is not null',
    'create index device_registered on device (registered_at, id)',
    `create index device_serial_bytes on device (serial${bytewise}, id)`,
    // Each request of a flood counts the waiting devices of its networks, and the count reads only an index.
    ...['narrow', 'middle', 'wide'].map(
      (width) => `create index device_waits_in_${width} on device (brand_id, model, waits_in_${width})
        where status = 'pending' and waits_in_${width} is not null`,
    ),
    // Lists of one brand's devices do not read rows of other brands.
    'create index device_brand_registered on device (brand_id, registered_at, id)',
    `create index device_brand_serial on device (brand_id, serial${bytewise}, id)`,
    // Finds keys by their prefix.
    `create index device_key_bytes on device (device_key_id${bytewise}, id)`,
    // Few devices wait or are in quarantine, so a page counts them when it shows them.
    "create index device_waiting on device (brand_id, id) where status = 'pending'",
    'create index device_brand_quarantined on device (brand_id, id) where quarantined_at is not null',

    ...serialParts(words),

    // Which device has a serial, and the highest revision ever issued for it. A serial belongs to one device
    // key, even after its revocation. A row without a device is a serial that no device has now. There is no
    // foreign key, because this table is divided by serial and the device is on another shard.
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

    // The assertions exactly as handed out, byte for byte, by revision.
    ...shardedTable(
      {
        name: 'serial_assertion',
        by: 'bucket',
        columns: `
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
      },
      words,
    ),
    'create index serial_assertion_device on serial_assertion (device_id, bucket)',

    // Each used request-id, with the hash of its request, which identifies a repeated request.
    ...shardedTable(
      {
        name: 'device_registration',
        by: 'bucket',
        columns: `
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
      },
      words,
    ),
    'create index device_registration_device on device_registration (device_id, bucket, registered_at)',
    // Retention deletes by this index.
    'create index device_registration_at on device_registration (registered_at)',
    // Makes a request-id work for a single device key while it is valid.
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

    // A chain is a session and all the sessions it was refreshed to. No macaroon is stored: its identifier
    // opens nothing without the root key. A nonce works once for a device key.
    ...shardedTable(
      {
        name: 'device_session',
        by: 'bucket',
        columns: `
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
      },
      words,
    ),
    'create index device_session_device on device_session (device_id, bucket, opened_at)',
    // Finds a device's most recently started chain, and a chain's newest session, without reading other
    // sessions.
    'create index device_session_chain on device_session (device_id, bucket, chain_id, opened_at)',
    'create index device_session_expires on device_session (expires_at)',

    // Evidence of a second device with the same key or serial. "subject" is the other chain or the other key,
    // and "details" a JSON object with the observation.
    ...shardedTable(
      {
        name: 'clone_evidence',
        by: 'bucket',
        columns: `
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
      },
      words,
    ),
    'create index clone_evidence_last_seen on clone_evidence (last_seen_at)',

    // When and from where a device was last seen. "last_seen_at" is null for a device that has evidence of a clone and
    // was never seen. "address_key" has the 32 hexadecimal digits of "address" as IPv6, so a block of addresses is a
    // range of keys. "evidence_at" is when evidence was last seen; null if there is none.
    ...shardedTable(
      {
        name: 'device_activity',
        by: 'bucket',
        columns: `
      device_id text not null,
      bucket ${smallInteger} not null,
      brand_id text not null,
      last_seen_at ${instant},
      address text,
      address_key text,
      evidence_at ${instant},
      constraint device_activity_device_id_bucket_key primary key (device_id, bucket),
      constraint device_activity_device_fk
        foreign key (device_id, bucket) references device (id, bucket) on delete cascade
    `,
      },
      words,
    ),
    'create index device_activity_seen on device_activity (last_seen_at, device_id)',
    `create index device_activity_address on device_activity (address_key${bytewise}, device_id)`,
    `create index device_activity_evidence on device_activity (evidence_at, device_id)
      where evidence_at is not null`,
    'create index device_activity_brand_seen on device_activity (brand_id, last_seen_at, device_id)',
    `create index device_activity_brand_address on device_activity (brand_id, address_key${bytewise}, device_id)`,
    `create index device_activity_brand_evidence on device_activity (brand_id, evidence_at, device_id)
      where evidence_at is not null`,

    // How many devices there are. A job counts them every minute, so that reading a list never does.
    `create table device_count (
      brand_id text not null,
      model text not null,
      status text not null,
      devices ${integer} not null,
      counted_at ${instant} not null,
      constraint device_count_brand_id_model_status_key primary key (brand_id, model, status)
    )${strict}`,
  ]
}
