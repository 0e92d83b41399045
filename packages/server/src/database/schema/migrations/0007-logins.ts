import type { Migration } from '../migration.ts'

/**
 * When the logins of an account were last ended, and under which of these instants a browser signed in and a login was
 * approved (`accounts/ended-logins`); what an agent's logins are limited to. Null means never, and no limits.
 */
export const logins: Migration = {
  name: '0007-logins',
  statements: ({ instant }) => [
    `alter table account add column logins_since ${instant}`,
    `alter table sign_in_session add column logins_since ${instant}`,
    `alter table completed_login add column logins_since ${instant}`,
    // JSON, as in `identity/agents/agent-limits.ts`.
    'alter table agent add column limits text',
  ],
}
