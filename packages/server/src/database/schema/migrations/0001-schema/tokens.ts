import type { Words } from '../../../differences.ts'

/** Sessions of tokens, the packages that tokens name, and CI jobs that exchange an ID token for a token. */
export const tokens = ({ instant, strict }: Words): readonly string[] => [
  // The primary key makes all exchanges of one root macaroon a single session. "kind" is what its macaroons
  // open: developer or management. "limits" is JSON with the session's limits when it was opened. "origin" is
  // how its holder logged in; "opened_in" is "console" for a session that a browser opened in the console.
  // Null in these means not recorded. "rule_id" and "job" belong to a session that a CI job opened: the rule,
  // and JSON with the known facts about the job. "shortened_from" is the original expiry of a session whose
  // owner shortened it.
  `create table token_session (
    session_id text not null constraint token_session_session_id_key primary key,
    account_id text not null constraint token_session_account_fk references account (id),
    kind text not null default 'developer',
    description text,
    limits text,
    origin text,
    opened_from text,
    opened_in text,
    user_agent text,
    rule_id text,
    job text,
    valid_since ${instant} not null,
    valid_until ${instant} not null,
    shortened_from ${instant},
    created_at ${instant} not null,
    revoked_at ${instant},
    revoked_by text
  )${strict}`,
  'create index token_session_account_valid_until on token_session (account_id, valid_until)',
  // Retention deletes by this index.
  'create index token_session_valid_until on token_session (valid_until)',
  'create index token_session_rule on token_session (rule_id, valid_until) where rule_id is not null',
  'create index token_session_valid_since on token_session (valid_since, session_id)',
  // Queries repeat this condition word for word (`schema/reminded.ts`). 255,600,000 ms are three days less an
  // hour. A shorter session gets no reminder, nor does one of a CI job or a sign-in.
  `create index token_session_reminded on token_session (valid_until, session_id)
    where kind = 'developer' and rule_id is null and revoked_at is null and shortened_from is null
      and valid_until - valid_since >= 255600000`,
  // One index for each order of the lists of sessions: those of all accounts, and those of one.
  'create index token_session_account_since on token_session (account_id, valid_since, session_id)',
  'create index token_session_ends on token_session (valid_until, session_id)',
  'create index token_session_account_ends on token_session (account_id, valid_until, session_id)',
  `create index token_session_revoked on token_session (revoked_at, session_id)
    where revoked_at is not null`,
  `create index token_session_account_revoked on token_session (account_id, revoked_at, session_id)
    where revoked_at is not null`,
  `create index token_session_management on token_session (valid_since, session_id)
    where kind = 'management'`,
  `create index token_session_account_management on token_session (account_id, valid_since, session_id)
    where kind = 'management'`,
  // When and from where a token of a session was last used. A session without a row was never used.
  `create table token_activity (
    session_id text not null constraint token_activity_session_id_key primary key,
    last_used_at ${instant} not null,
    address text not null,
    constraint token_activity_session_fk
      foreign key (session_id) references token_session (session_id) on delete cascade
  )${strict}`,
  `create table package (
    name text not null constraint package_name_key primary key,
    snap_id text not null constraint package_snap_id_key unique
  )${strict}`,

  // An issuer of ID tokens that an operator has added. "settings" is JSON, as in `ci/issuers/issuer.ts`.
  `create table oidc_issuer (
    id text not null constraint oidc_issuer_id_key primary key,
    url text not null constraint oidc_issuer_url_key unique,
    kind text not null,
    settings text not null,
    created_at ${instant} not null
  )${strict}`,
  // One row for each issuer. "keys" is a JSON Web Key Set of public keys. "revision" changes with it, so a
  // node can notice that its copy is outdated. "algorithms" is JSON with the list in the discovery document.
  // "pinned_at" is null if the keys come from the issuer, last at "fetched_at". "tried_at" is when a process
  // last began to fetch them.
  `create table oidc_issuer_keys (
    issuer_id text not null constraint oidc_issuer_keys_issuer_id_key primary key
      constraint oidc_issuer_keys_issuer_fk references oidc_issuer (id),
    revision text not null,
    keys text not null,
    algorithms text not null,
    pinned_at ${instant},
    fetched_at ${instant} not null,
    tried_at ${instant} not null,
    failure text
  )${strict}`,
  // Which job of an issuer gets which token. A rule never changes: "version" is a hash of its contents. "ids"
  // is JSON with the values of the stable ids, in the order of the kind, which find the rules of a job.
  // "matchers" and "grants" are JSON, as in `ci/rules`. "last_used_at" is accurate to the hour.
  `create table publisher_rule (
    id text not null constraint publisher_rule_id_key primary key,
    name text not null constraint publisher_rule_name_key unique,
    issuer_id text not null constraint publisher_rule_issuer_fk references oidc_issuer (id),
    account_id text not null constraint publisher_rule_account_fk references account (id),
    version text not null,
    ids text not null,
    matchers text not null,
    grants text not null,
    lifetime ${instant} not null,
    created_at ${instant} not null,
    disabled_at ${instant},
    last_used_at ${instant}
  )${strict}`,
  'create index publisher_rule_ids on publisher_rule (issuer_id, ids)',
  'create index publisher_rule_account on publisher_rule (account_id)',
  // Because of the primary key, each ID token can be used once. "issuer" is a URL, because an issuer that is
  // removed and added again gets a different id. "idempotency_hash" is SHA-256 in hexadecimal.
  `create table used_workload_token (
    issuer text not null,
    token_key text not null,
    session_id text not null,
    used_at ${instant} not null,
    expires_at ${instant} not null,
    idempotency_hash text,
    constraint used_workload_token_issuer_token_key_key primary key (issuer, token_key)
  )${strict}`,
  'create index used_workload_token_expires on used_workload_token (expires_at)',
]
