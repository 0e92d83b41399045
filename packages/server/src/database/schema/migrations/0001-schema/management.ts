import type { Words } from '../../../differences.ts'

/** Administration over HTTP and in the console: roles, repeated requests, jobs about many records, reminders, counters. */
export const management = ({ bytes, instant, integer, strict }: Words): readonly string[] => [
  // "subject" is the id of an account where "subject_kind" is account. "brand_id" is empty for all brands. "agents" is
  // JSON: the names of agents that were added before the grant and have the role anyway; null for none.
  `create table role_grant (
    subject_kind text not null,
    subject text not null,
    role text not null,
    brand_id text not null,
    granted_at ${instant} not null,
    granted_by text not null,
    expires_at ${instant},
    agents text,
    constraint role_grant_subject_role_brand_key primary key (subject_kind, subject, role, brand_id)
  )${strict}`,
  'create index role_grant_role on role_grant (role, brand_id)',
  `create index role_grant_expires on role_grant (subject_kind, expires_at, subject, role, brand_id)
    where expires_at is not null`,

  // A request that can be sent again. "key_hash" and "request_hash" are SHA-256 in hexadecimal. The answer is sealed
  // under the key itself, which is not stored; "status" is null while the request runs.
  `create table idempotent_request (
    account_id text not null,
    key_hash text not null,
    request_hash text not null,
    started_at ${instant} not null,
    status ${integer},
    headers text,
    sealed ${bytes},
    constraint idempotent_request_account_id_key_hash_key primary key (account_id, key_hash)
  )${strict}`,
  'create index idempotent_request_started on idempotent_request (started_at)',
  // A form of the console that needs a more recent sign-in, kept until its person has signed in again. "sealed" is under
  // a key that is derived from a secret of the browser, which is not stored.
  `create table kept_form (
    id ${bytes} not null constraint kept_form_id_key primary key,
    account_id text not null constraint kept_form_account_fk references account (id),
    sealed ${bytes} not null,
    kept_at ${instant} not null,
    expires_at ${instant} not null
  )${strict}`,
  'create index kept_form_account on kept_form (account_id, kept_at)',
  'create index kept_form_expires on kept_form (expires_at)',

  // Work that outlives its request. "state" is uploading, queued, running, done, cancelled, stopped or failed.
  // "authority" is JSON: the permissions of the token that made the job. "settings" is what the kind needs besides.
  // "note" says why the job was stopped.
  `create table job (
    id text not null constraint job_id_key primary key,
    kind text not null,
    state text not null,
    account_id text not null,
    made_by text not null,
    session_id text not null,
    source text not null,
    authority text not null,
    settings text not null,
    total ${integer} not null,
    done ${integer} not null,
    unchanged ${integer} not null,
    refused ${integer} not null,
    created_at ${instant} not null,
    started_at ${instant},
    ended_at ${instant},
    note text
  )${strict}`,
  'create index job_account on job (account_id, id)',
  `create index job_active on job (id) where state in ('queued', 'running')`,
  'create index job_created on job (created_at)',
  `create index job_uploading on job (created_at) where state = 'uploading'`,
  // What a job is about, written when it is made, and what became of each record. "outcome" is null until the record is
  // settled, then done, unchanged or refused. "result" and "extra" are JSON: the counts of an import, and the rest of a
  // refusal.
  `create table job_item (
    job_id text not null constraint job_item_job_fk references job (id),
    place ${integer} not null,
    subject text not null,
    outcome text,
    code text,
    message text,
    result text,
    extra text,
    constraint job_item_job_id_place_key primary key (job_id, place)
  )${strict}`,
  'create index job_item_outcome on job_item (job_id, outcome, place)',
  // The file of an import, which arrives in parts before the job is queued. Deleted when the job ends.
  `create table job_part (
    job_id text not null constraint job_part_job_fk references job (id),
    place ${integer} not null,
    body ${bytes} not null,
    constraint job_part_job_id_place_key primary key (job_id, place)
  )${strict}`,

  // A reminder of something that expires soon. "channel" is mail or webhook. "recipient" is the id of an account, and
  // empty for the webhook. The key lets each reminder be queued once; receivers know it by "id". "next_at" is when it is
  // due, and null once "outcome" says what became of it: delivered, dropped or given-up.
  `create table reminder (
    channel text not null,
    recipient text not null,
    kind text not null,
    subject text not null,
    ends_at ${instant} not null,
    days ${integer} not null,
    id text not null constraint reminder_id_key unique,
    queued_at ${instant} not null,
    attempts ${integer} not null,
    next_at ${instant},
    outcome text,
    constraint reminder_channel_recipient_kind_subject_ends_at_days_key
      primary key (channel, recipient, kind, subject, ends_at, days)
  )${strict}`,
  'create index reminder_due on reminder (channel, next_at, recipient) where next_at is not null',
  'create index reminder_ends on reminder (ends_at)',

  // What happened in each hour and day, so that no page counts it in the large tables. "span" is h for an hour, d for a
  // day, both in UTC; "at" is its beginning. "brand_id" is '(all)' for the whole service, and '(other)' for brands that
  // are not counted apart. "n" is as wide as an instant: an hour can have more than fits into 32 bits.
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
  // Which processes run. "seen_at" is by the database's clock.
  `create table service_process (
    id text not null constraint service_process_id_key primary key,
    host text not null,
    release text not null,
    seen_at ${instant} not null
  )${strict}`,
]
