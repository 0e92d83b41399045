/** What the index `api_key_expires` is for (`0001-schema/brands.ts`). */
import { type RawBuilder, sql } from 'kysely'

/** Holds for the API keys that a reminder is sent for: they have an end, and are neither revoked nor used up. */
export const isRemindedKey: RawBuilder<boolean> = sql`expires_at is not null and revoked_at is null
  and (use_limit is null or uses < use_limit)`
