/** An entry of the audit log as a row of an export. */

export const AUDIT_COLUMNS = [
  'seq',
  'id',
  'at',
  'actor',
  'source',
  'action',
  'subject',
  'details',
  'previous_hash',
  'hash',
] as const

/** One row. `details` is the JSON text that was hashed. */
export type AuditRow = Readonly<Record<(typeof AUDIT_COLUMNS)[number], string | number | null>>
