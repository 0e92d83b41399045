/** Operations on jobs: the same decision about many records, which outlives its request. */
import { EmptyObjectSchema } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  JobExportQuerySchema,
  JobItemsQuerySchema,
  JobItemsSchema,
  JobPreviewSchema,
  JobQuerySchema,
  JobSchema,
  JobsQuerySchema,
  JobsSchema,
  NewJobQuerySchema,
  NewJobSchema,
  PART_BYTES,
} from '../schemas/index.ts'

export const JOB_OPERATIONS = {
  jobs: {
    ...MANAGEMENT_ROUTES.jobs,
    ...SIGNED_IN,
    summary: 'Lists your jobs, newest first; operators see all jobs',
    errors: [],
    query: JobsQuerySchema,
    response: JobsSchema,
  },
  makeJob: {
    ...MANAGEMENT_ROUTES.makeJob,
    ...SIGNED_IN,
    summary: 'Decides about many records, or imports a file',
    description: `\
It requires the same permission as a single decision: \`devices:decide\` for \`devices.approve\` and \`devices.reject\`,
\`devices:manage\` for \`devices.revoke\` and \`devices.release\`, \`tokens:revoke\` for \`tokens.revoke\`. Bulk revocations
require a person who signed in within the last 15 minutes.

\`ids\` or \`filter\` selects the records when the job is created; records that match the filter later are not included. The
job runs with the permissions that your account and token have at each moment, and stops without them.

To create a job that imports a file of up to 4 MiB, send the file as the body and its \`kind\` in the query. The media type
gives the format if \`format\` does not: \`text/csv\`, \`application/x-ndjson\`, or \`application/json\` for a list. For a
larger file, the body has \`kind\`, \`parts\` and the options of the kind; the job waits for its parts
(\`PUT /jobs/ID/parts/N\`) and is queued by \`POST /jobs/ID/start\`. The file is imported completely or not at all. The job's
only item has the counts as \`result\`, or up to a hundred errors in the file as its \`message\` and, with their places, in
\`extra\`. With \`dry_run\` the job only reports what it would do. \`devices.import\` requires \`devices:manage\`,
\`allow-list.import\` and \`hardware-identities.import\` require \`models:manage\`, \`packages.import\` requires
\`roles:manage\`.

With the header \`Prefer: wait=10\` the response comes when the job has ended, or after 10 seconds: 200 if it has ended,
202 if not. With \`dry_run\` no job is created: the response shows the outcome for the first 1,000.`,
    errors: [
      'devices-too-many',
      'selection-changed',
      'permission-denied',
      'person-required',
      'recent-sign-in-required',
    ],
    query: NewJobQuerySchema,
    body: NewJobSchema,
    file: { bytes: PART_BYTES, onlyWith: 'kind', types: ['text/csv', 'application/x-ndjson'] },
    bodyRequired: true,
    response: Type.Union([JobSchema, JobPreviewSchema]),
    status: 202,
    alsoStatus: 200,
    location: true,
    actions: ['job.add', 'job.end'],
  },
  job: {
    ...MANAGEMENT_ROUTES.job,
    ...SIGNED_IN,
    summary: 'Returns the progress of a job',
    errors: ['no-such-record'],
    query: JobQuerySchema,
    response: JobSchema,
    record: true,
  },
  jobItems: {
    ...MANAGEMENT_ROUTES.jobItems,
    ...SIGNED_IN,
    summary: 'Lists the outcome of each record of a job, in the order of its selection',
    errors: ['no-such-record'],
    query: JobItemsQuerySchema,
    response: JobItemsSchema,
  },
  exportJob: {
    ...MANAGEMENT_ROUTES.exportJob,
    ...SIGNED_IN,
    summary: 'Exports all outcomes of a job as JSON lines or CSV',
    description:
      'The response is streamed, and compressed with `Accept-Encoding: gzip`. One that breaks off is a broken transfer, never a short file. An account can run two exports at a time.',
    errors: ['no-such-record'],
    query: JobExportQuerySchema,
    response: Type.String(),
    streams: ['application/x-ndjson', 'text/csv; charset=utf-8'],
  },
  putJobPart: {
    ...MANAGEMENT_ROUTES.putJobPart,
    ...SIGNED_IN,
    summary: 'Stores a part of the file that a job imports, or replaces it',
    description:
      'Parts are numbered from 1 and joined unchanged, so a row can span two of them. Only the login that created the job can send them and start it.',
    errors: ['no-such-record', 'permission-denied', 'state-conflict'],
    file: { bytes: PART_BYTES, types: ['application/octet-stream'] },
    bodyRequired: true,
    response: JobSchema,
  },
  startJob: {
    ...MANAGEMENT_ROUTES.startJob,
    ...SIGNED_IN,
    summary: 'Queues a job whose file is complete',
    errors: ['no-such-record', 'permission-denied', 'state-conflict'],
    body: EmptyObjectSchema,
    response: JobSchema,
    record: true,
  },
  cancelJob: {
    ...MANAGEMENT_ROUTES.cancelJob,
    ...SIGNED_IN,
    summary: 'Cancels a job between two records; finished records stay done',
    errors: ['no-such-record', 'state-conflict'],
    body: EmptyObjectSchema,
    response: JobSchema,
    record: true,
    actions: ['job.end'],
  },
} as const satisfies Record<string, ManagementOperation>
