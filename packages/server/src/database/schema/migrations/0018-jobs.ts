import type { Migration } from '../migration.ts'

/** Work that outlives its request: what it is about is written down when it is made, and what became of each. */
export const jobs: Migration = {
  name: '0018-jobs',
  statements: ({ instant, integer, strict }) => [
    // "state" is queued, running, done, cancelled, stopped or failed. "authority" is JSON: what the token could do that
    // made the job; "settings" what the kind needs besides. "note" says why it was stopped.
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
    // "outcome" is null until the item is settled: then done, unchanged or refused.
    `create table job_item (
      job_id text not null constraint job_item_job_fk references job (id),
      place ${integer} not null,
      subject text not null,
      outcome text,
      code text,
      message text,
      constraint job_item_job_id_place_key primary key (job_id, place)
    )${strict}`,
    'create index job_item_outcome on job_item (job_id, outcome, place)',
  ],
}
