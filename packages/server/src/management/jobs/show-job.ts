/** Jobs, for whoever made them; for operators all of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import { type Authority, includesScope, intersectScopes } from '../../authority.ts'
import { noSuchRecord, RequestError, stateConflict } from '../../errors.ts'
import { exportText } from '../../files/export-rows.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { scopeOfToken } from '../tokens/manager.ts'
import { isOver, itemRecord, JOBS_LEASE, type Job, type JobItem, type JobOutcome } from './job.ts'
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
  stores: Stores,
): Promise<Job> {
  const end = performance.now() + milliseconds
  for (;;) {
    const job = await findJob({ id, authority }, stores)
    const left = end - performance.now()
    if (isOver(job.state) || left <= 0 || signal.aborted) return job
    await sleep(Math.min(LOOK_MS, left))
  }
}

/** Newest first. `after`: an id. */
export async function listJobs(
  { authority, after, limit }: Paging<string> & { readonly authority: Authority },
  { jobs }: TransactionStores,
): Promise<Page<Job>> {
  const accountId = seesAll(authority) ? undefined : authority.accountId
  return pageOf(limit, (most) => jobs.list({ accountId, before: after, limit: most }))
}

interface OfJob extends Named {
  readonly outcome: JobOutcome | 'open' | undefined
}

/** In the order of the selection. `after`: a place. Throws as {@link findJob}. */
export async function listItems(
  { id, authority, outcome, after, limit }: OfJob & Paging<number>,
  stores: TransactionStores,
): Promise<Page<JobItem>> {
  await findJob({ id, authority }, stores)
  return pageOf(limit, (most) => stores.jobs.items(id, { outcome, after, limit: most }))
}

/**
 * Ends it between two items; what is done stays done. One that is over stays as it is. Throws as {@link findJob};
 * `permission-denied` for a job that may do more than the token that ends it; `state-conflict` for a running
 * import; and what `mustBeSeen` throws.
 */
export async function cancelJob(
  { mustBeSeen, ...named }: Named & { readonly mustBeSeen?: (now: Job) => void },
  stores: Stores,
): Promise<Job> {
  const job = await findJob(named, stores)
  requireRightsOf(job, named.authority)
  const isImport = job.settings['parts'] !== undefined
  if (isImport && job.state === 'running' && (await stores.leases.held()).includes(JOBS_LEASE)) {
    // It is one step, and its transaction holds the row.
    throw stateConflict(`The job ${job.id} imports its file, all of it or nothing: it ends by itself.`, {
      status: job.state,
    })
  }
  const { author, by } = named.authority
  const ending = { job, state: 'cancelled', note: `Cancelled by ${by}.`, mustBeSeen } as const
  return (await endBy(author, ending, stores)) ?? job
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

const COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
const PAGE = 1_000

/**
 * What became of each record, as a file (contract/administration.md, A16 and A18): the text, in chunks. The first page is
 * read when this returns. Throws as {@link findJob}.
 */
export async function exportItems(
  { format, ...asked }: OfJob & { readonly format: 'ndjson' | 'csv' },
  stores: TransactionStores,
): Promise<AsyncIterable<string>> {
  const first = await listItems({ ...asked, limit: PAGE }, stores)
  const pages = async function* () {
    for (let page = first; ; ) {
      yield page.rows.map(itemRecord)
      if (!page.next) return
      page = await listItems({ ...asked, after: page.next.place, limit: PAGE }, stores)
    }
  }
  return exportText(pages(), { format, columns: COLUMNS })
}
