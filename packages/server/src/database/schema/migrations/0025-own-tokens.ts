import type { Migration } from '../migration.ts'

/** Lists of sessions by state and by kind, and where each browser signed in from. */
export const ownTokens: Migration = {
  name: '0025-own-tokens',
  statements: () => [
    // Each order in which sessions are listed: of all accounts, and of one.
    'create index token_session_account_since on token_session (account_id, valid_since, session_id)',
    'create index token_session_ends on token_session (valid_until, session_id)',
    'create index token_session_account_ends on token_session (account_id, valid_until, session_id)',
    `create index token_session_revoked on token_session (revoked_at, session_id)
      where revoked_at is not null`,
    `create index token_session_account_revoked on token_session (account_id, revoked_at, session_id)
      where revoked_at is not null`,
    `create index token_session_management on token_session (valid_since, session_id)
      where kind = 'management'`,
    `create index token_session_account_management on token_session (account_id, valid_since, session_id)
      where kind = 'management'`,
    // Both are null where an earlier release did not record them.
    'alter table sign_in_session add column address text',
    'alter table sign_in_session add column user_agent text',
  ],
}
