import type { Migration } from '../migration.ts'

/**
 * Jobs of CI systems that exchange an ID token for a token: the issuers that an operator added and their keys, the rules
 * that say which job gets what, and the ID tokens that were used.
 */
export const ciPublishing: Migration = {
  name: '0015-ci-publishing',
  statements: ({ instant, strict }) => [
    // "settings" is JSON, as in `ci/issuers/issuer.ts`.
    `create table oidc_issuer (
      id text not null constraint oidc_issuer_id_key primary key,
      url text not null constraint oidc_issuer_url_key unique,
      kind text not null,
      settings text not null,
      created_at ${instant} not null
    )${strict}`,
    // One row for each issuer. "keys" is a JSON Web Key Set of public keys; "revision" changes with it, so that a node
    // knows when its copy is outdated. "algorithms" is JSON: what the discovery document names. "pinned_at" is null where
    // the issuer gave the keys, last at "fetched_at". "tried_at" is when somebody last began to fetch them.
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
    // A rule is never changed: "version" is a hash of what it says. "ids" is JSON: the values of the stable ids, in the
    // order of the kind. A job's rules are looked up by its own. "matchers" and "grants" are JSON, as in `ci/rules`.
    // "last_used_at" is right to the hour.
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
    // The primary key lets each ID token be used once. By the issuer's URL: one that is removed and added again has
    // another id. "idempotency_hash" is SHA-256 in hexadecimal.
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
    // Of a session that an exchange opened: its rule, and JSON with what is known of the job.
    'alter table token_session add column rule_id text',
    'alter table token_session add column job text',
    'create index token_session_rule on token_session (rule_id, valid_until) where rule_id is not null',
  ],
}
