/** What the index `token_session_reminded` has (`0001-schema/tokens.ts`). */
import { type RawBuilder, sql } from 'kysely'

/**
 * Holds for the sessions of developer tokens that a reminder is sent for: neither revoked nor shortened, opened by no rule
 * for a CI system's jobs, and made to live for three days less an hour (`SHORTEST_LIFE_MS` of reminders). In the very
 * words of the index: SQLite uses it for no others.
 */
export const isReminded: RawBuilder<boolean> = sql`kind = 'developer' and rule_id is null and revoked_at is null
  and shortened_from is null and valid_until - valid_since >= 255600000`

/** Holds for the API keys that a reminder is sent for: they have an end, and are neither revoked nor used up. */
export const isRemindedKey: RawBuilder<boolean> = sql`expires_at is not null and revoked_at is null
  and (use_limit is null or uses < use_limit)`
