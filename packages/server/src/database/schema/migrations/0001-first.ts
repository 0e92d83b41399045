import type { Migration } from '../migration.ts'

/**
 * Constraints are named `<table>_<column>_key`, primary keys too, so that `isUniqueViolation(error, 'table.column')`
 * can tell which one it was on both databases.
 */
export const first: Migration = {
  name: '0001-first',
  statements: ({ bytes, instant, integer, strict }) => [
    // Ids count up from 1 without gaps and rows are never deleted: two processes that add a key at once try the
    // same id, and one of them loses.
    `create table root_key (
      id ${integer} not null constraint root_key_id_key primary key,
      sealed ${bytes} not null,
      created_at ${instant} not null
    )${strict}`,
    `create table key_pair (
      id ${integer} not null constraint key_pair_id_key primary key,
      purpose text not null constraint key_pair_purpose_check check (purpose in ('issuer', 'discharger')),
      public_key ${bytes} not null,
      sealed_private_key ${bytes} not null,
      created_at ${instant} not null
    )${strict}`,
    // One row: a known text sealed under the secret key, by which a wrong secret is noticed at start.
    `create table seal_check (
      id ${integer} not null constraint seal_check_id_key primary key
        constraint seal_check_one_row check (id = 1),
      sealed ${bytes} not null
    )${strict}`,

    `create table account (
      id text not null constraint account_id_key primary key,
      username text not null constraint account_username_key unique,
      email text not null,
      name text not null,
      password_hash text,
      disabled_at ${instant},
      created_at ${instant} not null
    )${strict}`,
    // The account of each person that an external identity service declares.
    `create table external_identity (
      issuer text not null,
      subject text not null,
      account_id text not null constraint external_identity_account_fk references account (id),
      created_at ${instant} not null,
      constraint external_identity_issuer_subject_key primary key (issuer, subject)
    )${strict}`,
    'create index external_identity_account on external_identity (account_id)',
    `create table agent (
      name text not null constraint agent_name_key primary key,
      account_id text not null constraint agent_account_fk references account (id),
      public_key ${bytes} not null constraint agent_public_key_key unique,
      created_at ${instant} not null
    )${strict}`,
    'create index agent_account on agent (account_id)',
    // Has only the cookie's hash, so reading the table opens no session.
    `create table sign_in_session (
      id_hash ${bytes} not null constraint sign_in_session_id_hash_key primary key,
      account_id text not null constraint sign_in_session_account_fk references account (id),
      created_at ${instant} not null,
      expires_at ${instant} not null
    )${strict}`,
    'create index sign_in_session_account on sign_in_session (account_id)',
    'create index sign_in_session_expires on sign_in_session (expires_at)',
    // The primary key allows one decision per login.
    `create table completed_login (
      login_id ${bytes} not null constraint completed_login_login_id_key primary key,
      account_id text not null constraint completed_login_account_fk references account (id),
      decision text not null constraint completed_login_decision_check check (decision in ('approved', 'denied')),
      completed_at ${instant} not null,
      expires_at ${instant} not null
    )${strict}`,
    'create index completed_login_expires on completed_login (expires_at)',

    // The primary key makes all exchanges of one root macaroon a single session.
    `create table token_session (
      session_id text not null constraint token_session_session_id_key primary key,
      account_id text not null constraint token_session_account_fk references account (id),
      description text,
      valid_since ${instant} not null,
      valid_until ${instant} not null,
      created_at ${instant} not null,
      revoked_at ${instant},
      revoked_by text
    )${strict}`,
    'create index token_session_account_valid_until on token_session (account_id, valid_until)',
    `create table package (
      name text not null constraint package_name_key primary key,
      snap_id text not null constraint package_snap_id_key unique
    )${strict}`,
  ],
}
