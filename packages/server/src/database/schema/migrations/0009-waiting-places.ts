import type { Migration } from '../migration.ts'

/** Lets the count of a network's waiting devices read only an index: each request of a flood makes that count. */
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
