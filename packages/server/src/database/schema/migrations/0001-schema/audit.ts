import type { Words } from '../../../differences.ts'

/** The audit log with its chain, and the leases of jobs. */
export const audit = ({ instant, integer, strict }: Words): readonly string[] => [
  // One row for each change, written in its transaction. "details" is a JSON object. The last three columns
  // are filled a moment later, when the entry is linked to the chain. A row is updated only then.
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
  // One row with both ends of the chain: its beginning moves because retention removes older entries. A
  // process that links entries locks this row, so entries are linked one after the other.
  `create table audit_chain (
    id ${integer} not null constraint audit_chain_id_key primary key
      constraint audit_chain_id_check check (id = 1),
    base_seq ${instant} not null,
    base_hash text not null,
    seq ${instant} not null,
    hash text not null
  )${strict}`,

  // Which process can run a job, and until when. The time is the database's, so no node's clock matters.
  `create table job_lease (
    name text not null constraint job_lease_name_key primary key,
    holder text not null,
    held_until ${instant} not null
  )${strict}`,
]
