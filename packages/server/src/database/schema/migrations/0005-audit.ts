import type { Migration } from '../migration.ts'

/** The audit log with its chain, the leases of jobs, and the indexes by which retention finds rows to remove. */
export const audit: Migration = {
  name: '0005-audit',
  statements: ({ instant, integer, strict }) => [
    // A row for each change, written in its transaction. `details` is a JSON object. The last three columns are filled
    // a moment later, when the entry is linked to the chain: the only update that a row ever has.
    `create table audit_entry (
      id text not null constraint audit_entry_id_key primary key,
      at ${instant} not null,
      actor text not null,
      source text not null,
      action text not null,
      subject text not null,
      details text not null,
      seq ${instant} constraint audit_entry_seq_key unique,
      previous_hash text,
      hash text,
      constraint audit_entry_link_check check (
        (seq is null and previous_hash is null and hash is null)
        or (seq is not null and previous_hash is not null and hash is not null)
      )
    )${strict}`,
    'create index audit_entry_unlinked on audit_entry (id) where seq is null',
    'create index audit_entry_actor on audit_entry (actor, id)',
    'create index audit_entry_action on audit_entry (action, id)',
    'create index audit_entry_subject on audit_entry (subject, id)',
    // One row: where the chain begins (what was before is removed) and where it ends. Its lock is what makes entries be
    // linked one after the other.
    `create table audit_chain (
      id ${integer} not null constraint audit_chain_id_key primary key
        constraint audit_chain_id_check check (id = 1),
      base_seq ${instant} not null,
      base_hash text not null,
      seq ${instant} not null,
      hash text not null
    )${strict}`,

    // Which process may run a job. Instants are by the database's clock, so that no node's clock matters.
    `create table job_lease (
      name text not null constraint job_lease_name_key primary key,
      holder text not null,
      held_until ${instant} not null
    )${strict}`,

    'create index token_session_valid_until on token_session (valid_until)',
    'create index device_session_expires on device_session (expires_at)',
    'create index device_registration_at on device_registration (registered_at)',
    'create index clone_evidence_last_seen on clone_evidence (last_seen_at)',
  ],
}
