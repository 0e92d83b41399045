import type { Migration } from '../migration.ts'

/** Counting the devices of a network that wait reads an index alone: a flood is counted at each of its requests. */
export const waitingPlaces: Migration = {
  name: '0009-waiting-places',
  statements: () =>
    COLUMNS.flatMap((column) => [
      `drop index device_${column}`,
      `create index device_${column} on device (brand_id, model, ${column})
        where status = 'pending' and ${column} is not null`,
    ]),
}

const COLUMNS = ['waits_in_narrow', 'waits_in_middle', 'waits_in_wide']
