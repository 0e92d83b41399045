import type { Migration } from '../migration.ts'

/**
 * Lists of the devices of one brand, in each order, and of keys by their beginning: whoever may see one brand alone
 * looks at no row of another.
 */
export const fleetLists: Migration = {
  name: '0017-fleet-lists',
  statements: ({ bytewise }) => [
    'create index device_brand_registered on device (brand_id, registered_at, id)',
    `create index device_brand_serial on device (brand_id, serial${bytewise}, id)`,
    `create index device_key_bytes on device (device_key_id${bytewise}, id)`,
  ],
}
