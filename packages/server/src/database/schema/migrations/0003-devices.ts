import type { Migration } from '../migration.ts'

/** The register of devices: which key has which serial, who requested what, and the sessions of each. */
export const devices: Migration = {
  name: '0003-devices',
  statements: ({ bytes, instant, integer, strict }) => [
    // One row for each device key of a model. `serial` is empty while nobody has chosen one. `request` is the
    // serial-request that waits for a decision. `original` is BRAND/MODEL/SERIAL of what a remodel began with.
    `create table device (
      id text not null constraint device_id_key primary key,
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
      constraint device_serial_check check (serial <> '' or status in ('pending', 'rejected')),
      constraint device_request_check check (request is not null or status not in ('pending', 'rejected'))
    )${strict}`,
    // A serial belongs to one device key, even after its revocation; a device key has one serial of a model.
    `create unique index device_brand_id_model_serial_key on device (brand_id, model, serial)
      where status in ('active', 'revoked')`,
    `create unique index device_brand_id_model_device_key_id_key on device (brand_id, model, device_key_id)
      where status <> 'superseded'`,
    // Each has the order of a list, newest last, so that a page reads only its own rows, and even a planner without
    // statistics does not choose a slower plan.
    'create index device_serial on device (serial, brand_id, model, id)',
    'create index device_key on device (device_key_id, brand_id, model, id)',
    'create index device_brand on device (brand_id, id)',
    'create index device_model on device (brand_id, model, id)',
    'create index device_model_status on device (brand_id, model, status, id)',
    'create index device_status on device (status, id)',
    'create index device_quarantined on device (id) where quarantined_at is not null',

    // Byte for byte what was handed out, by revision.
    `create table serial_assertion (
      brand_id text not null,
      model text not null,
      serial text not null,
      revision ${integer} not null,
      device_id text not null constraint serial_assertion_device_fk references device (id),
      encoded ${bytes} not null,
      authority_id text not null,
      signing_key_id text not null,
      stored_at ${instant} not null,
      constraint serial_assertion_brand_id_model_serial_revision_key
        primary key (brand_id, model, serial, revision)
    )${strict}`,
    'create index serial_assertion_device on serial_assertion (device_id)',

    // Each request-id that was used, with the hash of its request: a request-id works once.
    `create table device_registration (
      request_id_hash ${bytes} not null constraint device_registration_request_id_hash_key primary key,
      device_id text not null constraint device_registration_device_fk references device (id),
      request_hash ${bytes} not null,
      registered_at ${instant} not null,
      address text not null,
      user_agent text not null
    )${strict}`,
    'create index device_registration_device on device_registration (device_id, registered_at)',

    // A chain is a session and what it was refreshed to. No macaroon is stored: its identifier opens nothing
    // without the root key.
    `create table device_session (
      session_id text not null constraint device_session_session_id_key primary key,
      device_id text not null constraint device_session_device_fk references device (id),
      chain_id text not null,
      previous_id text,
      nonce_hash ${bytes} not null constraint device_session_nonce_hash_key unique,
      request_hash ${bytes} not null,
      macaroon_id ${bytes} not null,
      store text,
      opened_at ${instant} not null,
      expires_at ${instant} not null,
      address text not null,
      user_agent text not null
    )${strict}`,
    'create index device_session_device on device_session (device_id, opened_at)',
    'create index device_session_chain on device_session (chain_id, opened_at)',

    // Evidence of a second holder of a device key or serial. `subject` is the other chain or the other key,
    // `details` a JSON object with what was seen.
    `create table clone_evidence (
      device_id text not null constraint clone_evidence_device_fk references device (id),
      kind text not null,
      subject text not null,
      first_seen_at ${instant} not null,
      last_seen_at ${instant} not null,
      times ${integer} not null,
      details text not null,
      constraint clone_evidence_device_id_kind_subject_key primary key (device_id, kind, subject)
    )${strict}`,
  ],
}
