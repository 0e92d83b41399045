import type { Words } from '../../../differences.ts'

/** The keys that the service creates for itself, each sealed under the secret key. */
export const keys = ({ bytes, instant, integer, strict }: Words): readonly string[] => [
  // Ids count up from 1 without gaps, and rows are never deleted. If two processes add a key at once, they
  // try the same id, and one of them loses.
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
  // One row with a known text sealed under the secret key. A start with the wrong secret key can't open it.
  `create table seal_check (
    id ${integer} not null constraint seal_check_id_key primary key
      constraint seal_check_one_row check (id = 1),
    sealed ${bytes} not null
  )${strict}`,
]
