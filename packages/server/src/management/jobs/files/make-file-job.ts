/** A job that imports a file: it is created, gets the parts of the file, and is queued (A17). */
import { isDeepStrictEqual } from 'node:util'
import { MOST_PARTS } from '@ratafia/api/schemas'
import { type Authority, brandsFor } from '../../../authority.ts'
import { undone } from '../../../change.ts'
import { invalidField, RequestError, stateConflict } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import type { Counts, Job } from '../job.ts'
import type { FileOptions, JobFile } from '../job-kind.ts'
import type { JobStore } from '../job-store.ts'
import { addJob, type JobAuthority, kindOf, makerOf, type NewJob } from '../make-job.ts'
import { findJob } from '../show-job.ts'

interface WantedFileJob {
  readonly kind: string
  readonly options: FileOptions
  /** Decides the format if the options do not. */
  readonly mediaType?: string
  /** Whether the job only shows what it would do. */
  readonly tried: boolean
  readonly authority: JobAuthority
}

/**
 * Checks the permission before the file is read. Throws `permission-denied`, and `invalid-field` for an unknown kind. A
 * kind without a file is refused later, with the rest of the query.
 */
export function requireMaySendFile(authority: Authority, kind: unknown): void {
  if (kind === undefined) return
  if (typeof kind !== 'string')
    throw invalidField('The query has the parameter kind more than once.', { field: 'query/kind' })
  const { fileSettings, needs } = kindOf(kind)
  if (fileSettings) brandsFor(authority, needs)
}

/** Throws `permission-denied`, `invalid-field`, and `TooManyRequests` for an account that already has two jobs. */
export async function makeFileJob(
  { parts, ...wanted }: WantedFileJob & { readonly parts: number },
  stores: Stores,
): Promise<Job> {
  return addJob({ ...newFileJob(wanted, parts), state: 'uploading' }, stores)
}

/**
 * Returns what an import would do, without creating a job: nothing is stored. Throws `permission-denied`, and
 * `invalid-field` with the problems of the file.
 */
export async function tryFile(
  { file, ...wanted }: Omit<WantedFileJob, 'tried'> & { readonly file: JobFile },
  stores: Stores,
): Promise<Counts> {
  const { authority } = wanted
  const { settings } = newFileJob({ ...wanted, tried: true }, 1)
  const item = { subject: 'file', authority, settings, dryRun: true, file }
  const changes = { changeBy: undone(stores.changeBy) }
  return (await kindOf(wanted.kind).act(item, { ...stores, ...changes })).result ?? {}
}

/** Creates a job for a complete file and queues it at once. Throws as {@link makeFileJob} does. */
export async function importFile(
  { body, ...wanted }: WantedFileJob & { readonly body: Uint8Array },
  stores: Stores,
): Promise<Job> {
  return addJob({ ...newFileJob(wanted, 1), state: 'queued', file: body }, stores)
}

function newFileJob(
  { kind: name, options, mediaType, tried, authority }: WantedFileJob,
  parts: number,
): Omit<NewJob, 'state'> {
  const kind = kindOf(name)
  brandsFor(authority, kind.needs)
  if (!kind.fileSettings) {
    throw invalidField('body/parts is only for jobs that import a file.', { field: 'body/parts' })
  }
  if (parts > (kind.mostParts ?? MOST_PARTS)) {
    throw invalidField(
      `A job of this kind accepts at most ${kind.mostParts} parts of a file: split the file.`,
      { field: 'body/parts' },
    )
  }
  const told = { ...kind.fileSettings(options, mediaType), ...(tried ? { dry_run: 'true' } : {}) }
  return { kind: name, subjects: ['file'], settings: { ...told, parts: String(parts) }, authority }
}

interface NamedJob {
  readonly id: string
  readonly authority: JobAuthority
  /** Throws `version-mismatch` for a job other than the one that the caller has seen. */
  readonly mustBeSeen?: ((now: Job) => void) | undefined
}

/**
 * Stores a part, or replaces it. Throws as `findJob` does; `permission-denied` for a login other than the one that
 * created the job; `invalid-field` for a part that the job does not have; `state-conflict` once the job is queued.
 */
export async function putPart(
  { place, body, ...named }: NamedJob & { readonly place: number; readonly body: Uint8Array },
  stores: Stores,
): Promise<Job> {
  const found = await ownFileJob(named, stores)
  const parts = Number(found.settings['parts'] ?? 0)
  if (place < 1 || place > parts) {
    throw invalidField(`The job ${found.id} has parts from 1 to ${parts}.`, { field: 'path/part' })
  }
  return stores.changeBy(named.authority.author)(async ({ jobs }) => {
    const now = await uploading(found, jobs, named)
    await jobs.putPart(now.id, place, body)
    return now
  })
}

/** Queues the job. Throws as {@link putPart} does, and `state-conflict` while parts are missing or without a file. */
export async function startFileJob(named: NamedJob, stores: Stores): Promise<Job> {
  const found = await ownFileJob(named, stores)
  if (found.state === 'queued' || found.state === 'running') {
    named.mustBeSeen?.(found)
    return found
  }
  return stores.changeBy(named.authority.author)(async ({ jobs }) => {
    const now = await uploading(found, jobs, named)
    const there = await jobs.countParts(now.id)
    const parts = Number(now.settings['parts'])
    if (there < parts) {
      throw stateConflict(
        `${parts - there} of the ${parts} parts of the job ${now.id} are missing. Send them first.`,
        {
          status: now.state,
        },
      )
    }
    await jobs.queue(now.id)
    return { ...now, state: 'queued' }
  })
}

/**
 * Returns a job of exactly this login. The job imports with the permissions and in the name of the login that
 * created it: another token of the account may have fewer permissions, and an operator is another person.
 */
export async function ownFileJob(
  { id, authority }: Pick<NamedJob, 'id' | 'authority'>,
  stores: Stores,
): Promise<Job> {
  const job = await findJob({ id, authority }, stores)
  const { needs } = kindOf(job.kind)
  brandsFor(authority, needs)
  if (isDeepStrictEqual(job.maker.login, makerOf(authority).login)) return job
  throw new RequestError(
    'permission-denied',
    'Only the login that created this job can send its file and start it. Create your own job.',
    { extra: { needs, brand: null } },
  )
}

/** Returns the locked job while it waits for its file. Throws `state-conflict` for any other state. */
async function uploading(
  { id }: Job,
  jobs: JobStore,
  { mustBeSeen }: Pick<NamedJob, 'mustBeSeen'>,
): Promise<Job> {
  const now = await jobs.lock(id)
  if (now) mustBeSeen?.(now)
  if (now?.state === 'uploading') return now
  throw stateConflict(`The job ${id} accepts no parts of a file: it is ${now?.state ?? 'gone'}.`, {
    status: now?.state ?? null,
  })
}
