/** The tables with rows for each device, which partitions and Citus divide. */

/** The tables with a bucket in every key. */
export const BUCKETED: readonly string[] = [
  ...['device', 'serial_assertion', 'device_registration', 'device_session'],
  ...['clone_evidence', 'device_activity'],
]

/** The bucketed tables, and those divided by their unique key. A table comes after the one that it references. */
export const SHARDED: readonly string[] = [...BUCKETED, 'serial_holder', 'used_request_id']
