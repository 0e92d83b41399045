/** Creates a job: stores its items and the authority that it runs with (A14 and A15). */
import { newJobId } from '@ratafia/api'
import { readAnchor } from '../../audit/verify.ts'
import {
  type Authority,
  brandsFor,
  type DirectAuthority,
  requireForAll,
  requireRecentPerson,
} from '../../authority.ts'
import type { ListFilter, ListPosition } from '../../devices/fleet/list-filter.ts'
import { listFleet } from '../../devices/fleet/list-fleet.ts'
import { invalidField, RequestError, TooManyRequests } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { ManagerAuthority } from '../tokens/manager.ts'
import type { Job, JobMaker } from './job.ts'
import type { JobKind, Settings } from './job-kind.ts'
import type { JobStore } from './job-store.ts'
import { jobKind } from './kinds.ts'

export interface WantedJob {
  readonly kind: string
  readonly ids?: readonly string[] | undefined
  readonly filter?: ListFilter | undefined
  /** How many devices the filter selected when the caller looked. */
  readonly expected?: number | undefined
  readonly reason?: string | undefined
  readonly authority: JobAuthority
}

/** The authority of a token, or of a command on the database. A job with any other would be the operator's. */
export type JobAuthority = ManagerAuthority | DirectAuthority

const MOST_ITEMS = 100_000
/** The maximum number of open jobs of one account. */
const MOST_ACTIVE = 2
const PAGE = 1_000

/**
 * Throws `permission-denied`, `person-required`, `recent-sign-in-required`, `invalid-field`, `devices-too-many`,
 * `selection-changed`; and `TooManyRequests` for an account that already has two jobs.
 */
export async function makeJob(wanted: WantedJob, stores: Stores): Promise<Job> {
  const { kind: name, authority } = wanted
  const kind = kindOf(name)
  brandsFor(authority, kind.needs)
  if (kind.recentPerson) requireRecentPerson(authority, stores.clock())
  const settings = settingsOf(wanted, kind)
  // Checked early, before the work of selecting. The check in `addJob` is the authoritative one.
  await requireRoom(authority, stores.jobs)
  const subjects = await subjectsOf(wanted, kind, stores)
  if (subjects.length === 0) throw invalidField('No device matches the filter.', { field: 'body/filter' })
  return addJob({ kind: name, state: 'queued', subjects, settings, authority }, stores)
}

export interface NewJob {
  readonly kind: string
  readonly state: 'uploading' | 'queued'
  readonly subjects: readonly string[]
  /** The complete file that it imports. Without it, the parts come later. */
  readonly file?: Uint8Array
  readonly settings: Settings
  readonly authority: JobAuthority
}

/** Creates the job. Callers must have checked the kind's requirements. Throws {@link TooManyRequests}. */
export async function addJob(
  { kind, state, subjects, file, settings, authority }: NewJob,
  { changeBy, clock }: Stores,
): Promise<Job> {
  const createdAt = clock()
  const job: Job = {
    ...{ id: newJobId(createdAt), kind, state, maker: makerOf(authority), settings, total: subjects.length },
    counts: { done: 0, unchanged: 0, refused: 0 },
    createdAt,
    ...{ startedAt: undefined, endedAt: undefined, note: undefined },
  }
  const { accountId } = authority
  await changeBy(authority.author)(async ({ jobs, accounts, record }) => {
    // So that simultaneous requests cannot all find room.
    if (accountId !== undefined) await accounts.lock(accountId)
    await requireRoom(authority, jobs)
    await jobs.add(job, subjects)
    if (file) await jobs.putPart(job.id, 1, file)
    await record({ action: 'job.add', subject: job.id, details: { kind, total: job.total, ...settings } })
  })
  return job
}

/** Throws {@link TooManyRequests}. */
async function requireRoom({ accountId }: JobAuthority, jobs: Pick<JobStore, 'countActive'>): Promise<void> {
  if (accountId === undefined || (await jobs.countActive(accountId)) < MOST_ACTIVE) return
  throw new TooManyRequests(5_000, {
    what: `${MOST_ACTIVE} jobs of your account have not ended. Wait for one of them, or cancel one.`,
  })
}

export function makerOf({ author: { source }, by, manager }: JobAuthority): JobMaker {
  if (!manager) return { by, source, login: undefined }
  const { account, sessionId, minted, limits } = manager
  return { by, source, login: { accountId: account.id, sessionId, minted, limits } }
}

/** Returns the kind's settings, and the statuses that the filter names. Throws `invalid-field`. */
export function settingsOf({ reason, filter }: WantedJob, kind: JobKind): Settings {
  const statuses = filter?.statuses
  return { ...kind.settingsOf(reason), ...(statuses && { statuses: statuses.join(' ') }) }
}

export function kindOf(name: string): JobKind {
  const kind = jobKind(name)
  if (kind) return kind
  throw invalidField(`There are no jobs of the kind ${JSON.stringify(name.slice(0, 64))}.`, {
    field: 'body/kind',
  })
}

/** Returns each id once, in order; empty if nothing matches the filter. Throws as {@link makeJob} does. */
export async function subjectsOf(
  {
    ids,
    filter,
    expected,
    authority,
  }: Omit<WantedJob, 'kind' | 'reason' | 'authority'> & { readonly authority: Authority },
  { devices }: JobKind,
  stores: Stores,
): Promise<readonly string[]> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidField('Give either "ids" or "filter".', { field: 'body/ids' })
  }
  if (ids) return [...new Set(ids)]
  if (!devices)
    throw invalidField('body/filter works only for devices. Give "ids".', { field: 'body/filter' })
  if (!filter || Object.values(filter).every((value) => value === undefined)) {
    throw invalidField('body/filter is empty, which would select every device. Give a condition.', {
      field: 'body/filter',
    })
  }
  const found = await idsThatFit(filter, authority, stores)
  if (expected !== undefined && found.length !== expected) {
    throw new RequestError(
      'selection-changed',
      `The filter selected ${expected} devices when you looked, and selects ${found.length} now. Look again.`,
      { extra: { expected, found: found.length } },
    )
  }
  return found
}

async function idsThatFit(
  filter: ListFilter,
  authority: Authority,
  stores: Stores,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: ListPosition | undefined; ; ) {
    const page = await listFleet({ authority, filter, sort: 'registered', after, limit: PAGE }, stores)
    ids.push(...page.devices.map(({ device }) => device.id))
    if (ids.length > MOST_ITEMS) {
      throw new RequestError(
        'devices-too-many',
        `The filter selects more than ${MOST_ITEMS} devices. Narrow it, for example by model or by time.`,
        { extra: { limit: MOST_ITEMS } },
      )
    }
    if (!page.next) return ids
    after = page.next
  }
}

interface Verification {
  /** The latest entry that an earlier verification returned. */
  readonly expect?: string | undefined
  readonly authority: JobAuthority
}

/**
 * Creates a job that verifies the audit log. It reads the whole log, which takes too long for a request. Throws
 * `permission-denied`, `invalid-field`, and `TooManyRequests` for an account that already has two jobs.
 */
export async function makeVerification({ expect, authority }: Verification, stores: Stores): Promise<Job> {
  requireForAll(authority, 'audit:read')
  if (expect !== undefined && !readAnchor(expect)) {
    throw invalidField('body/expect does not identify an entry of the log, such as 12:0f3a…', {
      field: 'body/expect',
    })
  }
  const settings = expect === undefined ? {} : { expect }
  const subjects = ['audit log']
  return addJob({ kind: 'audit.verify', state: 'queued', subjects, settings, authority }, stores)
}
