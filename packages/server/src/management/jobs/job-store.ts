/** Jobs and their items: the tables `job` and `job_item`. */
import type { AccountId, SessionId } from '@ratafia/api'
import type { SelectQueryBuilder } from 'kysely'
import {
  anyRowChanged,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  type Schema,
  toInstant,
} from '../../database/index.ts'
import type { Job, JobItem, JobLogin, JobOutcome, JobState } from './job.ts'

export interface JobStore {
  /** Adds the job with all its items, or nothing. */
  add(job: Job, subjects: readonly string[]): Promise<void>
  find(id: string): Promise<Job | undefined>
  /** Newest first, before the job `before`; of one account, or of all. */
  list(of: {
    readonly accountId: AccountId | undefined
    readonly before: string | undefined
    readonly limit: number
  }): Promise<readonly Job[]>
  /** Needs a transaction. Until it ends, no other one can settle an item of this job or end the job. */
  lock(id: string): Promise<Job | undefined>
  /** Returns queued and running jobs, oldest first. */
  active(limit: number): Promise<readonly Job[]>
  countActive(accountId: AccountId): Promise<number>
  /** Needs a transaction, as {@link lock} does. Stores a part of the file, or replaces it. */
  putPart(id: string, place: number, body: Uint8Array): Promise<void>
  /** Returns undefined if the part is missing. */
  part(id: string, place: number): Promise<Uint8Array | undefined>
  countParts(id: string): Promise<number>
  /** Needs a transaction, as {@link lock} does. Changes the state from uploading to queued. */
  queue(id: string): Promise<void>
  /** Removes at most `limit` jobs with an incomplete file that were created before that instant. */
  removeUploading(before: Date, limit: number): Promise<number>
  /** Changes the state from queued to running. */
  start(id: string, at: Date): Promise<void>
  /** Needs a transaction, as {@link lock} does. Also removes the file. Returns false if the job has ended already. */
  end(id: string, state: JobState, at: Date, note?: string): Promise<boolean>
  /** Returns the first items that are not settled. */
  open(id: string, limit: number): Promise<readonly JobItem[]>
  /** Returns the items in order, after the place `after`. */
  items(
    id: string,
    of: {
      readonly outcome: JobOutcome | 'open' | undefined
      readonly after: number | undefined
      readonly limit: number
    },
  ): Promise<readonly JobItem[]>
  /** Needs a transaction, as {@link lock} does. Whether the item is still open, and its job has not ended. */
  claim(id: string, place: number): Promise<boolean>
  /** Stores the outcome in the transaction of the item's change. Returns false if the item was settled already. */
  settle(
    id: string,
    item: Pick<JobItem, 'place' | 'code' | 'message' | 'result' | 'extra'> & { readonly outcome: JobOutcome },
  ): Promise<boolean>
  /** Removes at most `limit` jobs that have ended and were created before that instant, with their items. */
  removeOld(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly jobs: JobStore
  }
}

const ITEMS_AT_ONCE = 500
const UNENDED: readonly JobState[] = ['uploading', 'queued', 'running']

export function jobStore({ query }: Pick<Database, 'query'>): JobStore {
  const jobs = query.selectFrom('job').selectAll()
  const itemsOf = (id: string) => query.selectFrom('job_item').selectAll().where('job_id', '=', id)
  const partsOf = (id: string) => query.selectFrom('job_part').where('job_id', '=', id)
  const counted = async (rows: SelectQueryBuilder<Schema, 'job' | 'job_part', object>) => {
    const counting = rows.select((select) => select.fn.countAll<number>().as('count'))
    return Number((await counting.executeTakeFirstOrThrow()).count)
  }
  const lock = async (id: string): Promise<Job | undefined> => {
    // Primary key.
    const locked = jobs.where('id', '=', id).modifyEnd(rowLock(query, 'no key update'))
    const row = await locked.executeTakeFirst()
    return row && jobOf(row)
  }
  /** Returns false if the job is in none of these states. */
  const change = async (id: string, from: readonly JobState[], set: Partial<Schema['job']>) => {
    // Primary key.
    const changing = query.updateTable('job').set(set).where('id', '=', id).where('state', 'in', from)
    return anyRowChanged(await changing.executeTakeFirst())
  }

  return {
    add: (job, subjects) =>
      inTransaction(query, async (transaction) => {
        await transaction.insertInto('job').values(rowOf(job)).execute()
        for (let start = 0; start < subjects.length; start += ITEMS_AT_ONCE) {
          const some = subjects.slice(start, start + ITEMS_AT_ONCE)
          await transaction
            .insertInto('job_item')
            .values(
              some.map((subject, index) => ({
                ...{ job_id: job.id, place: start + index, subject },
                ...{ outcome: null, code: null, message: null, result: null, extra: null },
              })),
            )
            .execute()
        }
      }),

    async find(id) {
      // Primary key.
      const row = await jobs.where('id', '=', id).executeTakeFirst()
      return row && jobOf(row)
    },

    lock,

    async list({ accountId, before, limit }) {
      // Index job_account; of all accounts the primary key, whose ids sort by time.
      let select = jobs
      if (accountId !== undefined) select = select.where('account_id', '=', accountId)
      if (before !== undefined) select = select.where('id', '<', before)
      return (await select.orderBy('id', 'desc').limit(limit).execute()).map(jobOf)
    },

    async active(limit) {
      // Index job_active.
      const active = jobs.where('state', 'in', ['queued', 'running'])
      return (await active.orderBy('id').limit(limit).execute()).map(jobOf)
    },

    // Index job_account.
    countActive: (accountId) =>
      counted(query.selectFrom('job').where('state', 'in', UNENDED).where('account_id', '=', accountId)),

    async putPart(id, place, body) {
      // Primary key.
      await query
        .insertInto('job_part')
        .values({ job_id: id, place, body })
        .onConflict((conflict) => conflict.columns(['job_id', 'place']).doUpdateSet({ body }))
        .execute()
    },

    async part(id, place) {
      // Primary key.
      const row = await partsOf(id).where('place', '=', place).select('body').executeTakeFirst()
      return row?.body
    },

    // Primary key: at most 64.
    countParts: (id) => counted(partsOf(id)),

    async queue(id) {
      await change(id, ['uploading'], { state: 'queued' })
    },

    removeUploading: (before, limit) =>
      inTransaction(query, async (transaction) => {
        // Index job_uploading.
        const rows = await transaction
          .selectFrom('job')
          .select('id')
          .where('state', '=', 'uploading')
          .where('created_at', '<', toInstant(before))
          .orderBy('created_at')
          .limit(Math.min(limit, 10))
          .modifyEnd(rowLock(transaction, 'update'))
          .execute()
        const ids = rows.map(({ id }) => id)
        if (ids.length > 0) await removeWhole(ids, transaction)
        return ids.length
      }),

    async start(id, at) {
      await change(id, ['queued'], { state: 'running', started_at: toInstant(at) })
    },

    async end(id, state, at, note) {
      const ended = await change(id, UNENDED, { state, ended_at: toInstant(at), note: note ?? null })
      await query.deleteFrom('job_part').where('job_id', '=', id).execute()
      return ended
    },

    async open(id, limit) {
      // Index job_item_outcome.
      const open = itemsOf(id).where('outcome', 'is', null)
      return (await open.orderBy('place').limit(limit).execute()).map(itemOf)
    },

    async items(id, { outcome, after, limit }) {
      // Primary key; with an outcome job_item_outcome.
      let select = itemsOf(id)
      if (outcome === 'open') select = select.where('outcome', 'is', null)
      else if (outcome !== undefined) select = select.where('outcome', '=', outcome)
      if (after !== undefined) select = select.where('place', '>', after)
      return (await select.orderBy('place').limit(limit).execute()).map(itemOf)
    },

    async claim(id, place) {
      // The job first, because `end` changes it. Then the primary key.
      const job = await lock(id)
      if (!job || job.endedAt) return false
      const item = await itemsOf(id).where('place', '=', place).executeTakeFirst()
      return item !== undefined && item.outcome === null
    },

    settle: (id, { place, outcome, code, message, result: counts, extra }) =>
      inTransaction(query, async (transaction) => {
        // Primary keys.
        const result = await transaction
          .updateTable('job_item')
          .set({
            ...{ outcome, code: code ?? null, message: message ?? null },
            result: counts ? JSON.stringify(counts) : null,
            extra: extra ? JSON.stringify(extra) : null,
          })
          .where('job_id', '=', id)
          .where('place', '=', place)
          .where('outcome', 'is', null)
          .executeTakeFirst()
        if (!anyRowChanged(result)) return false
        await transaction
          .updateTable('job')
          .set((set) => ({ [outcome]: set(outcome, '+', 1) }))
          .where('id', '=', id)
          .execute()
        return true
      }),

    removeOld: (before, limit) =>
      inTransaction(query, async (transaction) => {
        // Index job_created.
        const rows = await transaction
          .selectFrom('job')
          .select('id')
          .where('created_at', '<', toInstant(before))
          .where('ended_at', 'is not', null)
          .orderBy('created_at')
          // Each has up to 100,000 items.
          .limit(Math.min(limit, 10))
          .execute()
        const ids = rows.map(({ id }) => id)
        if (ids.length > 0) await removeWhole(ids, transaction)
        return ids.length
      }),
  }
}

/** Removes jobs with everything that belongs to them. */
async function removeWhole(ids: readonly string[], transaction: Database['query']): Promise<void> {
  for (const table of ['job_part', 'job_item'] as const) {
    await transaction.deleteFrom(table).where('job_id', 'in', ids).execute()
  }
  await transaction.deleteFrom('job').where('id', 'in', ids).execute()
}

const rowOf = ({ maker, counts, ...job }: Job): Schema['job'] => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  ...loginColumns(maker.login),
  made_by: maker.by,
  source: maker.source,
  settings: JSON.stringify(job.settings),
  total: job.total,
  ...counts,
  created_at: toInstant(job.createdAt),
  started_at: job.startedAt ? toInstant(job.startedAt) : null,
  ended_at: job.endedAt ? toInstant(job.endedAt) : null,
  note: job.note ?? null,
})

const jobOf = (row: Schema['job']): Job => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  maker: { by: row.made_by, source: row.source, login: loginOf(row) },
  settings: JSON.parse(row.settings),
  total: row.total,
  counts: { done: row.done, unchanged: row.unchanged, refused: row.refused },
  createdAt: fromInstant(row.created_at),
  startedAt: fromInstant(row.started_at) ?? undefined,
  endedAt: fromInstant(row.ended_at) ?? undefined,
  note: row.note ?? undefined,
})

/** Empty strings mean a command on the database. */
const loginColumns = (login: JobLogin | undefined): LoginColumns =>
  login
    ? {
        account_id: login.accountId,
        session_id: login.sessionId,
        authority: JSON.stringify({ minted: login.minted, limits: login.limits }),
      }
    : { account_id: '', session_id: '', authority: '' }

function loginOf({ account_id, session_id, authority }: LoginColumns): JobLogin | undefined {
  if (account_id === '' && session_id === '' && authority === '') return undefined
  // Only ids of accounts and sessions are ever stored.
  return { accountId: account_id as AccountId, sessionId: session_id as SessionId, ...JSON.parse(authority) }
}

type LoginColumns = Pick<Schema['job'], 'account_id' | 'session_id' | 'authority'>

const itemOf = ({ place, subject, outcome, code, message, result, extra }: Schema['job_item']): JobItem => ({
  place,
  subject,
  outcome: outcome ?? undefined,
  code: code ?? undefined,
  message: message ?? undefined,
  result: result === null ? undefined : JSON.parse(result),
  extra: extra === null ? undefined : JSON.parse(extra),
})
