/** Shows jobs to their authors, and all jobs to operators. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import { type Authority, includesScope, intersectScopes } from '../../authority.ts'
import { noSuchRecord, quote, RequestError, stateConflict } from '../../errors.ts'
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

/** Throws `no-such-record`, with the same message for a job of another account. */
export async function findJob({ id, authority }: Named, { jobs }: TransactionStores): Promise<Job> {
  const job = /^[0-9a-f-]{36}$/.test(id) ? await jobs.find(id) : undefined
  if (job && (seesAll(authority) || isTheirs(job, authority))) return job
  throw noSuchRecord(`There is no job ${quote(id)}. \`ratafia jobs list\` shows them.`, { kind: 'job', id })
}

const LOOK_MS = 250

/** Returns the job once it is over, the time is up or the client has left. Throws as {@link findJob} does. */
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

/** Lists jobs, newest first. `after`: an id. */
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

/** Lists the items in the order of the selection. `after`: a place. Throws as {@link findJob} does. */
export async function listItems(
  { id, authority, outcome, after, limit }: OfJob & Paging<number>,
  stores: TransactionStores,
): Promise<Page<JobItem>> {
  await findJob({ id, authority }, stores)
  return pageOf(limit, (most) => stores.jobs.items(id, { outcome, after, limit: most }))
}

/**
 * Ends the job between two items; finished items stay done. A job that is over stays unchanged. Throws as
 * {@link findJob} does; `permission-denied` for a job with more permissions than the caller's token;
 * `state-conflict` for a running import; and what `mustBeSeen` throws.
 */
export async function cancelJob(
  { mustBeSeen, ...named }: Named & { readonly mustBeSeen?: ((now: Job) => void) | undefined },
  stores: Stores,
): Promise<Job> {
  const job = await findJob(named, stores)
  requireRightsOf(job, named.authority)
  const isImport = job.settings['parts'] !== undefined
  if (isImport && job.state === 'running' && (await stores.leases.held()).includes(JOBS_LEASE)) {
    // An import is one step, and its transaction holds the row.
    throw stateConflict(`The job ${job.id} is importing its file in one step. It ends by itself.`, {
      status: job.state,
    })
  }
  const { author, by } = named.authority
  const ending = { job, state: 'cancelled', note: `Cancelled by ${by}.`, mustBeSeen } as const
  return (await endBy(author, ending, stores)) ?? job
}

/** Checks for the author's rights, as far as their account still has them. Throws `permission-denied`. */
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
    'The token that created this job has more permissions than yours. Log in again without limits to cancel it.',
    { extra: { needs: null, brand: null } },
  )
}

const COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
const PAGE = 1_000

/**
 * Returns the outcome of each record as a file (contract/administration.md, A16 and A18), as text in chunks.
 * The first page has been read when this returns. Throws as {@link findJob} does.
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
