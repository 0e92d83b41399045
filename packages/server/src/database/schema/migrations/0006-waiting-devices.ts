import type { Migration } from '../migration.ts'

/** From which networks the devices that wait for approval come, so that no network can fill the queue. */
export const waitingDevices: Migration = {
  name: '0006-waiting-devices',
  statements: () => [
    // The networks of the address that asked, narrowest first; null when the device does not wait (or asked a node of
    // the release before).
    ...COLUMNS.map((column) => `alter table device add column ${column} text`),
    ...COLUMNS.map(
      (column) =>
        `create index device_${column} on device (brand_id, model, ${column}) where ${column} is not null`,
    ),
  ],
}

const COLUMNS = ['waits_in_narrow', 'waits_in_middle', 'waits_in_wide']
