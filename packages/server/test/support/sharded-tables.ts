/** The tables with rows for each device, which partitions and Citus divide. */

/** With a bucket in every key. */
export const BUCKETED: readonly string[] = [
  'device',
  'serial_assertion',
  'device_registration',
  'device_session',
  'clone_evidence',
  'device_activity',
]

/** Those, and the ones divided by what they make unique. A table comes after the one it refers to. */
export const SHARDED: readonly string[] = [...BUCKETED, 'serial_holder', 'used_request_id']
