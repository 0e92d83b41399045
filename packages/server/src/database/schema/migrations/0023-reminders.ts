import type { Migration } from '../migration.ts'

/** Reminders of what ends soon: which were queued, and what became of each. */
export const reminders: Migration = {
  name: '0023-reminders',
  statements: ({ instant, integer, strict }) => [
    // Since when the account gets no reminders by mail. Null: it gets them.
    `alter table account add column reminders_off_at ${instant}`,
    // The end that the session had at first, where its owner brought it forward; null for all others.
    `alter table token_session add column shortened_from ${instant}`,
    // Queries ask for the same in the same words (`schema/reminded-sessions.ts`): 255600000 ms, an hour less than three
    // days, are what a session must live to be worth a reminder. Sessions of jobs and sign-ins are not in it.
    `create index token_session_reminded on token_session (valid_until, session_id)
      where kind = 'developer' and rule_id is null and revoked_at is null and shortened_from is null
        and valid_until - valid_since >= 255600000`,
    `create index api_key_expires on api_key (expires_at, id) where expires_at is not null and revoked_at is null`,
    `create index role_grant_expires on role_grant (subject_kind, expires_at, subject, role, brand_id)
      where expires_at is not null`,
    // "channel" is mail or webhook. "recipient" is the id of an account, and empty for the webhook. The key lets each
    // reminder be queued once. "id" is what receivers know it by. "next_at" is when it is due, and null once "outcome"
    // says what became of it: delivered, dropped or given-up.
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
  ],
}
