/** The conditions of the index `token_session_reminded` (`0001-schema/tokens.ts`) and of the one for API keys. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a session of developer tokens gets a reminder: it is neither revoked nor shortened, no CI rule
 * opened it, and its lifetime was at least three days less an hour (`SHORTEST_LIFE_MS` of reminders). Repeats
 * the index's condition word for word, because SQLite uses the index for no other.
 */
export const isReminded: RawBuilder<boolean> = sql`kind = 'developer' and rule_id is null and revoked_at is null
  and shortened_from is null and valid_until - valid_since >= 255600000`

/** Whether an API key gets a reminder: it expires, and is neither revoked nor used up. */
export const isRemindedKey: RawBuilder<boolean> = sql`expires_at is not null and revoked_at is null
  and (use_limit is null or uses < use_limit)`
