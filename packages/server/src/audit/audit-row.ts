/** An entry of the audit log as a row of a file. */

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

/** `details` is the JSON text as it was hashed. */
export type AuditRow = Readonly<Record<(typeof AUDIT_COLUMNS)[number], string | number | null>>
