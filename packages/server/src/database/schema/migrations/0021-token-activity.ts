import type { Migration } from '../migration.ts'

/** When and from where tokens were last used. */
export const tokenActivity: Migration = {
  name: '0021-token-activity',
  statements: ({ instant, strict }) => [
    // Without a row for a session whose tokens were never used, or last by an older release.
    `create table token_activity (
      session_id text not null constraint token_activity_session_id_key primary key,
      last_used_at ${instant} not null,
      address text not null,
      constraint token_activity_session_fk
        foreign key (session_id) references token_session (session_id) on delete cascade
    )${strict}`,
  ],
}
