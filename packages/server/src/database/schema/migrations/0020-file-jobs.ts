import type { Migration } from '../migration.ts'

/** Jobs that import a file: it comes in parts before the job is queued, and what became of it is more than a count. */
export const fileJobs: Migration = {
  name: '0020-file-jobs',
  statements: ({ bytes, integer, strict }) => [
    // Of a job in the state "uploading", or one that has not ended.
    `create table job_part (
      job_id text not null constraint job_part_job_fk references job (id),
      place ${integer} not null,
      body ${bytes} not null,
      constraint job_part_job_id_place_key primary key (job_id, place)
    )${strict}`,
    // JSON: the counts of an import, and what else a refusal says.
    'alter table job_item add column result text',
    'alter table job_item add column extra text',
    `create index job_uploading on job (created_at) where state = 'uploading'`,
  ],
}
