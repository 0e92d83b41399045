/** The audit log as rows of a file, oldest first, in pages: a log of any length takes the memory of one page. */
import type { AuditEntryId } from '@ratafia/api'
import type { AuditFilter, AuditStore, ListedEntry } from './audit-store.ts'

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

const PAGE = 1000

export async function* exportAudit(
  filter: AuditFilter,
  { audit }: { readonly audit: AuditStore },
): AsyncGenerator<readonly AuditRow[]> {
  for (let after: AuditEntryId | undefined; ; ) {
    const page = await audit.page(filter, { after, limit: PAGE })
    if (page.length > 0) yield page.map(auditRow)
    after = page.at(-1)?.id
    if (after === undefined || page.length < PAGE) return
  }
}

const auditRow = ({ link, at, details, ...entry }: ListedEntry): AuditRow => ({
  seq: link?.seq ?? null,
  id: entry.id,
  at: at.toISOString(),
  actor: entry.actor,
  source: entry.source,
  action: entry.action,
  subject: entry.subject,
  details,
  previous_hash: link?.previousHash ?? null,
  hash: link?.hash ?? null,
})
