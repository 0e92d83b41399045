import type { Migration } from '../migration.ts'

/** What searching and sorting the register needs, and that accounts and devices can be removed. */
export const fleet: Migration = {
  name: '0008-fleet',
  statements: ({ bytewise, instant }) => [
    // Written when retention removes the last session of a device; the sessions that are still there say it better.
    `alter table device add column last_session_at ${instant}`,
    // From then on a row has nothing personal. It stays for what refers to it, and so that nothing it had is given
    // again.
    `alter table device add column removed_at ${instant}`,
    `alter table account add column removed_at ${instant}`,
    'create index device_registered on device (registered_at, id)',
    `create index device_serial_bytes on device (serial${bytewise}, id)`,
  ],
}
