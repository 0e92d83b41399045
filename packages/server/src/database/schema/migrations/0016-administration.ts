import type { Migration } from '../migration.ts'
import { type Announced, announcing } from '../statements/announcing.ts'

/** A role that is given adds to what a node remembers of an account, one that is removed takes from it. */
const GRANTED: readonly Announced[] = (['insert', 'update', 'delete'] as const).map((on) => ({
  kind: 'role-grant',
  table: 'role_grant',
  id: ['subject'],
  on,
}))

/** Who may administer what, the sessions of those who do, and the requests that they may send again. */
export const administration: Migration = {
  name: '0016-administration',
  statements: (words) => {
    const { bytes, instant, integer, strict } = words
    return [
      // "subject" is the id of an account, where "subject_kind" is account. "brand_id" is empty for all brands.
      `create table role_grant (
        subject_kind text not null,
        subject text not null,
        role text not null,
        brand_id text not null,
        granted_at ${instant} not null,
        granted_by text not null,
        expires_at ${instant},
        constraint role_grant_subject_role_brand_key primary key (subject_kind, subject, role, brand_id)
      )${strict}`,
      'create index role_grant_role on role_grant (role, brand_id)',
      ...announcing(GRANTED, words),
      // What its macaroons open: developer or management. "origin" is how its holder logged in, "limits" JSON with what
      // it was limited to when it was opened; both are null where that is not recorded.
      `alter table token_session add column kind text not null default 'developer'`,
      'alter table token_session add column origin text',
      'alter table token_session add column limits text',
      'alter table token_session add column opened_from text',
      'alter table token_session add column user_agent text',
      'create index token_session_valid_since on token_session (valid_since, session_id)',
      // When the person who decided had signed in to the browser; null where an older release did not record it.
      `alter table completed_login add column signed_in_at ${instant}`,
      // "key_hash" and "request_hash" are SHA-256 in hexadecimal. The answer is sealed under the key itself, which is not
      // stored; "status" is null while the request runs.
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
    ]
  },
}
