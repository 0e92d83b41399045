/** Creates the audit log entry of a change. */
import { newAuditEntryId } from '@ratafia/api'
import type { AuditedChange, Author, Recording } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { AuditStore } from './audit-store.ts'
import type { AuditEntry } from './entry.ts'

/** Returns a function that records changes. Their entries are linked later, so that no change waits for another. */
export const recordingBy = (
  author: Author,
  { audit, clock }: { readonly audit: Pick<AuditStore, 'add'>; readonly clock: Clock },
): Recording => ({ record: (change) => audit.add(entryOf(change, author, clock())) })

export function entryOf(
  { action, subject, details = {} }: AuditedChange,
  { actor, source, details: always = {} }: Author,
  at: Date,
): AuditEntry {
  return {
    id: newAuditEntryId(at),
    at,
    actor: storable(actor),
    source: storable(source),
    action,
    subject: storable(subject),
    details: JSON.stringify({ ...details, ...always }),
  }
}

/** Replaces characters that a database can't store, because names are unchecked. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
