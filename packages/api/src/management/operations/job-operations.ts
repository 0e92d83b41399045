/** Jobs: the same decision about many records, which outlives its request. */
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
    summary: "Your jobs, newest first; an operator's list has all",
    errors: [],
    query: JobsQuerySchema,
    response: JobsSchema,
  },
  makeJob: {
    ...MANAGEMENT_ROUTES.makeJob,
    ...SIGNED_IN,
    summary: 'Decides about many records, or imports a file',
    description: `\
It takes the permission that the decision takes for one: \`devices:decide\` for \`devices.approve\` and
\`devices.reject\`, \`devices:manage\` for \`devices.revoke\` and \`devices.release\`, \`tokens:revoke\` for
\`tokens.revoke\`. Bulk revocations take a sign-in of the last 15 minutes of a person.

\`ids\` or \`filter\` say which records. They are written down now; what fits the filter later is not among them.
The job goes on with the permissions of your account and token at each moment, and stops without them.

A job that imports a file of up to 4 MiB is made with the file as the body and its \`kind\` in the query; the media type
says the format, if \`format\` does not: \`text/csv\`, \`application/x-ndjson\`, or \`application/json\` for a list. For a larger
file the body has \`kind\`, \`parts\` and what the kind takes; the job waits for its parts (\`PUT /jobs/ID/parts/N\`) and is
queued by \`POST /jobs/ID/start\`. The file is imported whole or not at all. Its only item has the counts as \`result\`, or
up to a hundred faults of the file as its \`message\` and, with their places, in \`extra\`. With \`dry_run\` the job says
what it would do. \`devices.import\` takes \`devices:manage\`, \`allow-list.import\` and \`hardware-identities.import\` take
\`models:manage\`, \`packages.import\` takes \`roles:manage\`.

With the header \`Prefer: wait=10\` the answer comes when the job has ended, or after 10 seconds: 200 if it has ended,
202 if not. With \`dry_run\` nothing is made: the answer says what would become of the first 1,000.`,
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
    summary: 'How far a job is',
    errors: ['no-such-record'],
    query: JobQuerySchema,
    response: JobSchema,
    record: true,
  },
  jobItems: {
    ...MANAGEMENT_ROUTES.jobItems,
    ...SIGNED_IN,
    summary: 'What became of each record of a job, in the order of its selection',
    errors: ['no-such-record'],
    query: JobItemsQuerySchema,
    response: JobItemsSchema,
  },
  exportJob: {
    ...MANAGEMENT_ROUTES.exportJob,
    ...SIGNED_IN,
    summary: 'The same as JSON lines or CSV, whole',
    description:
      'Sent as it is read, and compressed with `Accept-Encoding: gzip`. An answer that breaks off is a broken transfer, and not a short file. Two at a time for an account.',
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
      'Parts are counted from 1. They are put together as they are: a row may be in two of them. Only the login that made the job sends them, and starts it.',
    errors: ['no-such-record', 'permission-denied', 'state-conflict'],
    file: { bytes: PART_BYTES, types: ['application/octet-stream'] },
    bodyRequired: true,
    response: JobSchema,
  },
  startJob: {
    ...MANAGEMENT_ROUTES.startJob,
    ...SIGNED_IN,
    summary: 'Queues a job whose file is whole',
    errors: ['no-such-record', 'permission-denied', 'state-conflict'],
    body: EmptyObjectSchema,
    response: JobSchema,
    record: true,
  },
  cancelJob: {
    ...MANAGEMENT_ROUTES.cancelJob,
    ...SIGNED_IN,
    summary: 'Ends a job between two records; what is done stays done',
    errors: ['no-such-record', 'state-conflict'],
    body: EmptyObjectSchema,
    response: JobSchema,
    record: true,
    actions: ['job.end'],
  },
} as const satisfies Record<string, ManagementOperation>
