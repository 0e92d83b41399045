/** The newest entries of the audit log, a page at a time. */
import type { AuditEntryId } from '@ratafia/api'
import type { AuditFilter, AuditStore, ListedEntry } from './audit-store.ts'

export interface AuditPage {
  readonly entries: readonly ListedEntry[]
  /** Pass it as `before` to get the next page; undefined on the last one. */
  readonly next: AuditEntryId | undefined
}

export async function listAudit(
  request: AuditFilter & { readonly before?: AuditEntryId | undefined; readonly limit: number },
  { audit }: { readonly audit: AuditStore },
): Promise<AuditPage> {
  const { before, limit, ...filter } = request
  // One more than requested tells whether there is a next page.
  const found = await audit.list(filter, { before, limit: limit + 1 })
  const entries = found.slice(0, limit)
  return { entries, next: found.length > limit ? entries.at(-1)?.id : undefined }
}
