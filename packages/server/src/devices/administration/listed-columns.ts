/** The columns of an exported list. What makes their records needs more than whoever reads them. */
import type { listedRecord } from './device-records.ts'

/** In this order. */
export const LISTED_COLUMNS = [
  'id',
  'brand_id',
  'model',
  'serial',
  'device_key_id',
  'status',
  'revision',
  'origin',
  'original',
  'registered_at',
  'decided_at',
  'decided_by',
  'reason',
  'quarantined_at',
  'removed_at',
  'last_seen_at',
  'last_address',
  'evidence_at',
] as const satisfies readonly (keyof ReturnType<typeof listedRecord>)[]
