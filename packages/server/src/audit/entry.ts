/** An entry of the audit log, and the text that is hashed. */
import { createHash } from 'node:crypto'
import type { AuditEntryId } from '@ratafia/api'

export interface AuditEntry {
  /** Ids sort by when the entries were created. */
  readonly id: AuditEntryId
  readonly at: Date
  readonly actor: string
  readonly source: string
  readonly action: string
  readonly subject: string
  /** A JSON object as text, exactly as it is stored. */
  readonly details: string
}

/** The place of an entry in the chain. */
export interface Link {
  /** Counts up from 1 without gaps. */
  readonly seq: number
  /** The hash of the previous entry; 64 zeros for the first. Hexadecimal, like `hash`. */
  readonly previousHash: string
  readonly hash: string
}

export type LinkedEntry = AuditEntry & Link

/**
 * Returns the SHA-256, in hexadecimal, of a JSON list as `JSON.stringify` writes it: seq, previous hash, id,
 * instant in milliseconds, actor, source, action, subject, details (a string).
 */
export function hashOf(entry: AuditEntry, { seq, previousHash }: Omit<Link, 'hash'>): string {
  const { id, at, actor, source, action, subject, details } = entry
  const text = JSON.stringify([seq, previousHash, id, at.getTime(), actor, source, action, subject, details])
  return createHash('sha256').update(text).digest('hex')
}

/** The columns of an exported entry. */
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
