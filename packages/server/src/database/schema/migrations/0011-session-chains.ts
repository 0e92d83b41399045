import type { Migration } from '../migration.ts'

/** Finds the chain of a device that began last, and the newest session of a chain, without the device's other sessions. */
export const sessionChains: Migration = {
  name: '0011-session-chains',
  statements: () => [
    'drop index device_session_chain',
    'create index device_session_chain on device_session (device_id, chain_id, opened_at)',
  ],
}
