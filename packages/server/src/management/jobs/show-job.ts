/** Jobs, for whoever made them; for operators all of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import { type Authority, includesScope, intersectScopes } from '../../authority.ts'
import { noSuchRecord, RequestError, stateConflict } from '../../errors.ts'
import { exportText } from '../../files/export-rows.ts'
import { pageOf } from '../../page.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { scopeOfToken } from '../tokens/manager.ts'
import { isOver, itemRecord, type Job, type JobItem, type JobOutcome } from './job.ts'
import { endBy } from './run-jobs.ts'

interface Named {
  readonly id: string
  readonly authority: Authority
}

const seesAll = (authority: Authority): boolean => authority.scopeOf('roles:manage') === 'all'

const isTheirs = ({ maker: { login } }: Job, { accountId }: Authority): boolean =>
  login !== undefined && login.accountId === accountId

/** Throws `no-such-record`, in the same words for somebody else's. */
export async function findJob({ id, authority }: Named, { jobs }: TransactionStores): Promise<Job> {
  const job = /^[0-9a-f-]{36}$/.test(id) ? await jobs.find(id) : undefined
  if (job && (seesAll(authority) || isTheirs(job, authority))) return job
  throw noSuchRecord('There is no such job.', { kind: 'job', id })
}

const LOOK_MS = 250

/** The job once it is over, or as it is when the time is up, or the client has gone. Throws as {@link findJob}. */
export async function waitForJob(
  {
    id,
    authority,
    milliseconds,
    signal,
  }: Named & { readonly milliseconds: number; readonly signal: AbortSignal },
  deps: Stores,
): Promise<Job> {
  const end = performance.now() + milliseconds
  for (;;) {
    const job = await findJob({ id, authority }, deps)
    const left = end - performance.now()
    if (isOver(job.state) || left <= 0 || signal.aborted) return job
    await sleep(Math.min(LOOK_MS, left))
  }
}

/** Newest first. `next`: the id that the next page comes before. */
export async function listJobs(
  {
    authority,
    before,
    limit,
  }: { readonly authority: Authority; readonly before: string | undefined; readonly limit: number },
  { jobs }: TransactionStores,
): Promise<{ readonly jobs: readonly Job[]; readonly next: string | undefined }> {
  const accountId = seesAll(authority) ? undefined : authority.accountId
  const { rows: page, next } = await pageOf(limit, (most) => jobs.list({ accountId, before, limit: most }))
  return { jobs: page, next: next?.id }
}

/** In the order of the selection. Throws as {@link findJob}. */
export async function listItems(
  {
    id,
    authority,
    ...of
  }: Named & {
    readonly outcome: JobOutcome | 'open' | undefined
    readonly after: number | undefined
    readonly limit: number
  },
  deps: TransactionStores,
): Promise<{ readonly items: readonly JobItem[]; readonly next: number | undefined }> {
  await findJob({ id, authority }, deps)
  const { rows: page, next } = await pageOf(of.limit, (most) => deps.jobs.items(id, { ...of, limit: most }))
  return { items: page, next: next?.place }
}

/**
 * Ends it between two items; what is done stays done. One that is over stays as it is. Throws as {@link findJob};
 * `permission-denied` for a job that may do more than the token that ends it; `state-conflict` for one that imports a
 * file; and what `mustBeSeen` throws.
 */
export async function cancelJob(
  { mustBeSeen, ...named }: Named & { readonly mustBeSeen?: (now: Job) => void },
  deps: Stores,
): Promise<Job> {
  const job = await findJob(named, deps)
  requireRightsOf(job, named.authority)
  if (job.state === 'running' && job.settings['parts'] !== undefined) {
    // It is one step, and its transaction holds the row.
    throw stateConflict(`The job ${job.id} imports its file, all of it or nothing: it ends by itself.`, {
      status: job.state,
    })
  }
  const { author, by } = named.authority
  const ending = { job, state: 'cancelled', note: `Cancelled by ${by}.`, mustBeSeen } as const
  return (await endBy(author, ending, deps)) ?? job
}

/** Of whoever made it, as far as their account has them still. Throws {@link RequestError} `permission-denied`. */
function requireRightsOf({ maker: { login } }: Job, authority: Authority): void {
  if (!login || seesAll(authority)) return
  const hasAll = MANAGEMENT_PERMISSIONS.every((permission) =>
    includesScope(
      authority.scopeOf(permission),
      intersectScopes(authority.accountScopeOf(permission), scopeOfToken(login, permission)),
    ),
  )
  if (hasAll) return
  throw new RequestError(
    'permission-denied',
    'The token that made this job may do more than yours. Log in again without limits to cancel it.',
    { extra: { needs: null, brand: null } },
  )
}

/** What became of each record of a job, as a file (contract/administration.md, A16 and A18). */
interface Wanted {
  readonly id: string
  readonly authority: Authority
  readonly outcome: JobOutcome | 'open' | undefined
  readonly format: 'ndjson' | 'csv'
}

const COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
const PAGE = 1_000

/** The text, in chunks: the first page is read when this returns. Throws as `findJob` does. */
export async function exportItems(
  { format, ...asked }: Wanted,
  deps: TransactionStores,
): Promise<AsyncIterable<string>> {
  const first = await listItems({ ...asked, after: undefined, limit: PAGE }, deps)
  const pages = async function* () {
    for (let page = first; ; ) {
      yield page.items.map(itemRecord)
      if (page.next === undefined) return
      page = await listItems({ ...asked, after: page.next, limit: PAGE }, deps)
    }
  }
  return exportText(pages(), { format, columns: COLUMNS })
}
