/** A job: the same decision about many records, item by item (contract/administration.md, A14 to A16). */
import type { AccountId, SessionId } from '@ratafia/api'
import type { MintedRoles, RoleLimits } from '../../grants/manage-caveat.ts'

const JOB_STATES = ['uploading', 'queued', 'running', 'done', 'cancelled', 'stopped', 'failed'] as const
/** `uploading`: its file is incomplete; `stopped`: its author lost the permission; `failed`: an internal error. */
export type JobState = (typeof JOB_STATES)[number]

const OPEN: ReadonlySet<JobState> = new Set(['uploading', 'queued', 'running'])
export const isOver = (state: JobState): boolean => !OPEN.has(state)

const JOB_OUTCOMES = ['done', 'unchanged', 'refused'] as const
export type JobOutcome = (typeof JOB_OUTCOMES)[number]

/** The lease of the process that runs the jobs. */
export const JOBS_LEASE = 'management-jobs'

/** The author of a job, and where the request came from. */
export interface JobMaker {
  /** A username, or `operator`. */
  readonly by: string
  /** The audit log's source: the address that the request came from, or the command line. */
  readonly source: string
  /** The author's login; undefined for a command on the database. */
  readonly login: JobLogin | undefined
}

/** The permissions of the token that created the job; they are checked again while it runs. */
export interface JobLogin {
  readonly accountId: AccountId
  readonly sessionId: SessionId
  readonly minted: MintedRoles
  readonly limits: readonly RoleLimits[]
}

export interface Job {
  readonly id: string
  readonly kind: string
  readonly state: JobState
  readonly maker: JobMaker
  /** The further data that the kind needs, such as a reason. */
  readonly settings: Readonly<Record<string, string>>
  readonly total: number
  readonly counts: Readonly<Record<JobOutcome, number>>
  readonly createdAt: Date
  readonly startedAt: Date | undefined
  readonly endedAt: Date | undefined
  /** Why the job was stopped or failed. */
  readonly note: string | undefined
}

export interface JobItem {
  readonly place: number
  /** The id of the record. */
  readonly subject: string
  /** The item's outcome; undefined until it is settled. */
  readonly outcome: JobOutcome | undefined
  readonly code: string | undefined
  readonly message: string | undefined
  /** The counts of an import, by name. */
  readonly result: Counts | undefined
  /** The further fields of a refusal. */
  readonly extra: Extra | undefined
}

type Extra = Readonly<Record<string, unknown>>
export type Counts = Readonly<Record<string, number>>

/** Returns the job as the API and `--json` show it. Times are RFC 3339 in UTC. */
export const jobRecord = (job: Job) => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  by: job.maker.by,
  total: job.total,
  done: job.counts.done,
  unchanged: job.counts.unchanged,
  refused: job.counts.refused,
  created_at: job.createdAt.toISOString(),
  started_at: job.startedAt?.toISOString() ?? null,
  ended_at: job.endedAt?.toISOString() ?? null,
  note: job.note ?? null,
  parts: job.settings['parts'] === undefined ? null : Number(job.settings['parts']),
  dry_run: job.settings['dry_run'] !== undefined,
})

export const itemRecord = ({ subject, outcome, code, message, extra, result }: JobItem) => ({
  subject,
  outcome: outcome ?? null,
  code: code ?? null,
  message: message ?? null,
  extra: extra ?? null,
  result: result ?? null,
})
