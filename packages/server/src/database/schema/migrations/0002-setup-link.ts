import type { Migration } from '../migration.ts'

/** The link that creates the first operator of an installation in a browser (`identity/setup`). */
export const setupLink: Migration = {
  name: '0002-setup-link',
  statements: ({ bytes, instant, strict }) => [
    // One row at most, so that a new link replaces the earlier one. Using the link deletes its row.
    `create table setup_link (
      id integer not null constraint setup_link_id_key primary key
        constraint setup_link_id_check check (id = 1),
      secret_hash ${bytes} not null,
      created_at ${instant} not null,
      expires_at ${instant} not null
    )${strict}`,
  ],
}
