import type { Migration } from '../migration.ts'

/** What a grant reaches, and which sessions the console opened. */
export const credentials: Migration = {
  name: '0026-credentials',
  statements: () => [
    // JSON with the names of agents that were added before the grant and have the role all the same; null: none.
    'alter table role_grant add column agents text',
    // "console" for a session that a browser opened in the console; null for any other, and where it is not recorded.
    'alter table token_session add column opened_in text',
  ],
}
