/** The columns of files about devices, in order. A module of its own, so that commands over HTTP load nothing else. */

/** The columns of the device itself, as `fieldsOf` returns them. */
const FIELDS = [
  ...(['id', 'brand_id', 'model', 'serial', 'device_key_id', 'status', 'revision', 'origin'] as const),
  ...(['original', 'registered_at', 'decided_at', 'decided_by', 'reason'] as const),
  ...(['quarantined_at', 'removed_at'] as const),
] as const

/** `request` and `assertions` are assertions as text, separated by blank lines; `clone_evidence` is a JSON list. */
export const DEVICE_COLUMNS = [...FIELDS, 'request', 'assertions', 'clone_evidence'] as const

/** The columns of a list, as `listedRecord` returns them. */
export const LISTED_COLUMNS = [...FIELDS, 'last_seen_at', 'last_address', 'evidence_at'] as const
