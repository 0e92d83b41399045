import type { Words } from '../../../differences.ts'

/** Administration over HTTP and in the console: roles, repeated requests, jobs about many records, reminders, counters. */
export const management = ({ bytes, instant, integer, strict }: Words): readonly string[] => [
  // "subject" is an account's id if "subject_kind" is account. "brand_id" is empty for all brands. "agents"
  // is JSON with the names of agents that are older than the grant and have the role anyway; null if there
  // are none.
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

  // A request that can be repeated. "key_hash" and "request_hash" are SHA-256 in hexadecimal. The answer is
  // sealed under the idempotency key itself, which is not stored. "status" is null while the request runs.
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
  // A console form that needs a more recent sign-in, kept until its user has signed in again. "sealed" is
  // under a key derived from a secret of the browser, which is not stored.
  `create table kept_form (
    id ${bytes} not null constraint kept_form_id_key primary key,
    account_id text not null constraint kept_form_account_fk references account (id),
    sealed ${bytes} not null,
    kept_at ${instant} not null,
    expires_at ${instant} not null
  )${strict}`,
  'create index kept_form_account on kept_form (account_id, kept_at)',
  'create index kept_form_expires on kept_form (expires_at)',

  // Work that outlives its request. "state" is uploading, queued, running, done, cancelled, stopped or
  // failed. "authority" is JSON with the permissions of the token that created the job. "settings" is
  // whatever else the kind needs. "note" explains why the job was stopped.
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
  // A job's records, written when the job is created, with their outcomes. "outcome" is null until the record
  // is settled, then done, unchanged or refused. "result" and "extra" are JSON: the counts of an import, and
  // the rest of a refusal.
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

  // A reminder that something expires soon. "channel" is mail or webhook. "recipient" is an account's id,
  // empty for the webhook. Because of the primary key, each reminder is queued once; receivers identify it by
  // "id". "next_at" is when it is due, and null once "outcome" is known: delivered, dropped or given-up.
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

  // Counts for each hour and day, so that no page counts in the large tables. "span" is h for an hour and d
  // for a day, both in UTC; "at" is its beginning. "brand_id" is '(all)' for the whole service, and '(other)'
  // for brands that are not counted separately. "n" is as wide as an instant, because an hour can have more
  // than 32 bits can hold.
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
  // The running processes. "seen_at" is by the database's clock.
  `create table service_process (
    id text not null constraint service_process_id_key primary key,
    host text not null,
    release text not null,
    seen_at ${instant} not null
  )${strict}`,
]
