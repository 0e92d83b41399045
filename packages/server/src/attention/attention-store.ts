/** Finds what needs attention: first rows of an index, and counts up to a limit. It writes nothing. */
import type { AccountId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  countUpTo,
  type Database,
  fromInstant,
  isReminded,
  isRemindedKey,
  toInstant,
} from '../database/index.ts'

/** The time range in which something expires. */
export interface Ending {
  readonly from: Date
  readonly before: Date
}

/** A count of devices, up to a limit. */
interface CountedDevices {
  readonly devices: number
  /** Whether there are more than counted. */
  readonly more: boolean
}

export interface EndingTokens {
  readonly tokens: number
  /** Whether there are more than counted. */
  readonly more: boolean
  readonly firstEndsAt: Date | undefined
}

export interface ModelWithEndingKeys {
  readonly brandId: string
  readonly model: string
  readonly keys: number
  readonly firstEndsAt: Date
}

type Brands = readonly string[] | 'all'

export interface AttentionStore {
  /** Returns the time when the longest-waiting device asked for approval; undefined if none waits. */
  oldestWaiting(brands: Brands): Promise<Date | undefined>
  /** Counts devices with evidence of a clone, up to `most`. */
  evidence(brands: Brands, most: number): Promise<CountedDevices>
  /** Counts the sessions of developer tokens that get a reminder, up to `most`. */
  tokens(ending: Ending, most: number): Promise<EndingTokens>
  /** Returns models with API keys that get a reminder, beginning with the key that expires first. */
  apiKeys(brands: Brands, ending: Ending, models: number): Promise<readonly ModelWithEndingKeys[]>
  /** Counts the newest 1,000 jobs, of one account or of all, that failed or were stopped since then. */
  brokenJobs(accountId: AccountId | undefined, since: Date): Promise<number>
}

const NEWEST_JOBS = 1_000

export function attentionStore({ query }: Pick<Database, 'query'>): AttentionStore {
  const oldest = (brandId?: string) => {
    // Uses the index device_status, or device_waiting for one brand. Ids sort by time.
    let select = query.selectFrom('device').select('registered_at').where(sql<boolean>`status = 'pending'`)
    if (brandId !== undefined) select = select.where('brand_id', '=', brandId)
    return select.orderBy('id').limit(1).executeTakeFirst()
  }

  return {
    async oldestWaiting(brands) {
      const rows = await Promise.all(brands === 'all' ? [oldest()] : brands.map(oldest))
      const times = rows.flatMap((row) => row?.registered_at ?? [])
      return times.length === 0 ? undefined : fromInstant(Math.min(...times.map(Number)))
    },

    async evidence(brands, most) {
      // Uses the index device_activity_evidence, or device_activity_brand_evidence for some brands.
      const found = query
        .selectFrom('device_activity')
        .select('device_id')
        .where(sql<boolean>`evidence_at is not null`)
        .$if(brands !== 'all', (some) => some.where('brand_id', 'in', brands === 'all' ? [] : brands))
      const { count: devices, more } = await countUpTo(query, found, most)
      return { devices, more }
    },

    async tokens({ from, before }, most) {
      // Uses the index token_session_reminded.
      const found = query
        .selectFrom('token_session')
        .select('valid_until')
        .where(isReminded)
        .where('valid_until', '>=', toInstant(from))
        .where('valid_until', '<', toInstant(before))
        .orderBy('valid_until')
        .limit(most + 1)
      const { count, first } = await query
        .selectFrom(found.as('found'))
        .select((select) => [
          select.fn.countAll<number>().as('count'),
          select.fn.min<number | null>('valid_until').as('first'),
        ])
        .executeTakeFirstOrThrow()
      return {
        ...{ tokens: Math.min(Number(count), most), more: Number(count) > most },
        firstEndsAt: first === null ? undefined : fromInstant(Number(first)),
      }
    },

    async apiKeys(brands, { from, before }, models) {
      // Uses the index api_key_expires, and reads only keys that expire soon.
      const rows = await query
        .selectFrom('api_key')
        .select((select) => [
          ...(['brand_id', 'model'] as const),
          select.fn.countAll<number>().as('keys'),
          sql<number>`min(expires_at)`.as('first'),
        ])
        .where(isRemindedKey)
        .where('expires_at', '>=', toInstant(from))
        .where('expires_at', '<', toInstant(before))
        .$if(brands !== 'all', (some) => some.where('brand_id', 'in', brands === 'all' ? [] : brands))
        .groupBy(['brand_id', 'model'])
        .orderBy('first')
        .orderBy('brand_id')
        .orderBy('model')
        .limit(models)
        .execute()
      return rows.map((row) => ({
        ...{ brandId: row.brand_id, model: row.model, keys: Number(row.keys) },
        firstEndsAt: fromInstant(Number(row.first)),
      }))
    },

    async brokenJobs(accountId, since) {
      // Uses the index job_account, or the primary key for all accounts. Ids sort by time.
      const newest = query
        .selectFrom('job')
        .select(['state', 'created_at'])
        .$if(accountId !== undefined, (some) => some.where('account_id', '=', accountId ?? ''))
        .orderBy('id', 'desc')
        .limit(NEWEST_JOBS)
      const { count } = await query
        .selectFrom(newest.as('newest'))
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('state', 'in', ['failed', 'stopped'])
        .where('created_at', '>=', toInstant(since))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
