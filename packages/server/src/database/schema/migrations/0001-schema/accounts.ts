import type { Words } from '../../../differences.ts'

/** Accounts, their credentials, and the data of a single login. */
export const accounts = ({ bytes, bytewise, instant, strict }: Words): readonly string[] => [
  // "logins_since" is when all logins of the account were last ended, null for never. A sign-in, a login and
  // a reset link record the value that they began under, and become invalid when it changes
  // (`accounts/ended-logins`). After "removed_at" the row has no personal data; it stays because other rows
  // refer to it. "password_logins_off_at" is since when programs can't log in with the password, and
  // "reminders_off_at" since when the account gets no reminders by mail; null if they are on.
  `create table account (
    id text not null constraint account_id_key primary key,
    username text not null constraint account_username_key unique,
    email text not null,
    name text not null,
    password_hash text,
    disabled_at ${instant},
    logins_since ${instant},
    removed_at ${instant},
    password_logins_off_at ${instant},
    reminders_off_at ${instant},
    created_at ${instant} not null
  )${strict}`,
  // People can also log in with an e-mail address, so no two accounts with a password can have the same one.
  // Letters outside ASCII keep their case, because the two databases would not agree on it.
  `create unique index account_email_key on account (lower(email${bytewise}))
    where password_hash is not null and email <> ''`,
  // The account of each person that an external identity service vouches for.
  `create table external_identity (
    issuer text not null,
    subject text not null,
    account_id text not null constraint external_identity_account_fk references account (id),
    created_at ${instant} not null,
    constraint external_identity_issuer_subject_key primary key (issuer, subject)
  )${strict}`,
  'create index external_identity_account on external_identity (account_id)',
  // "limits" is JSON, as in `identity/agents/agent-limits.ts`; null if the agent's logins have no limits.
  `create table agent (
    name text not null constraint agent_name_key primary key,
    account_id text not null constraint agent_account_fk references account (id),
    public_key ${bytes} not null constraint agent_public_key_key unique,
    limits text,
    created_at ${instant} not null
  )${strict}`,
  'create index agent_account on agent (account_id)',

  // This table has only the cookie's hash, so reading it is not enough to open a session.
  `create table sign_in_session (
    id_hash ${bytes} not null constraint sign_in_session_id_hash_key primary key,
    account_id text not null constraint sign_in_session_account_fk references account (id),
    logins_since ${instant},
    created_at ${instant} not null,
    expires_at ${instant} not null,
    address text,
    user_agent text
  )${strict}`,
  'create index sign_in_session_account on sign_in_session (account_id)',
  'create index sign_in_session_expires on sign_in_session (expires_at)',
  // The primary key allows one decision per login. "signed_in_at" is when the person who decided had signed in to the
  // browser.
  `create table completed_login (
    login_id ${bytes} not null constraint completed_login_login_id_key primary key,
    account_id text not null constraint completed_login_account_fk references account (id),
    decision text not null constraint completed_login_decision_check check (decision in ('approved', 'denied')),
    logins_since ${instant},
    signed_in_at ${instant},
    completed_at ${instant} not null,
    expires_at ${instant} not null
  )${strict}`,
  'create index completed_login_expires on completed_login (expires_at)',

  // An account can have several factors of a kind. "sealed" is the secret of a kind that has one; other kinds
  // store their own data there.
  `create table second_factor (
    id text not null constraint second_factor_id_key primary key,
    account_id text not null constraint second_factor_account_fk references account (id),
    kind text not null,
    sealed ${bytes} not null,
    created_at ${instant} not null,
    confirmed_at ${instant}
  )${strict}`,
  'create index second_factor_account on second_factor (account_id)',
  // An account has one secret for one-time codes.
  `create unique index second_factor_totp_key on second_factor (account_id) where kind = 'totp'`,
  // Because of the primary key, the code of each step can be used once.
  `create table used_time_step (
    account_id text not null constraint used_time_step_account_fk references account (id),
    step ${instant} not null,
    used_at ${instant} not null,
    constraint used_time_step_account_id_step_key primary key (account_id, step)
  )${strict}`,
  'create index used_time_step_used on used_time_step (used_at)',
  // Using a code deletes its row.
  `create table recovery_code (
    account_id text not null constraint recovery_code_account_fk references account (id),
    code_hash ${bytes} not null,
    created_at ${instant} not null,
    constraint recovery_code_account_id_code_hash_key primary key (account_id, code_hash)
  )${strict}`,
  // Using a link deletes its row.
  `create table reset_link (
    secret_hash ${bytes} not null constraint reset_link_secret_hash_key primary key,
    account_id text not null constraint reset_link_account_fk references account (id),
    logins_since ${instant} not null,
    created_at ${instant} not null,
    expires_at ${instant} not null
  )${strict}`,
  'create index reset_link_account on reset_link (account_id)',
  'create index reset_link_expires on reset_link (expires_at)',
]
