/** The audit log as a text. Over HTTP the export is itself an entry (contract/administration.md, A20). */
import { type Authority, isAtDatabase, requireForAll } from '../authority.ts'
import { exportText } from '../files/export-rows.ts'
import { jsonLines } from '../files/json-lines.ts'
import type { Stores } from '../stores.ts'
import { AUDIT_COLUMNS } from './audit-row.ts'
import type { AuditFilter } from './audit-store.ts'
import { exportAudit } from './export.ts'

interface Wanted {
  readonly filter: AuditFilter
  readonly format: 'ndjson' | 'csv'
  readonly authority: Authority
}

/**
 * The text, in chunks, of the entries that are there now: an export has an end, however fast the log grows. Throws
 * {@link RequestError} as `exportAudit` does; then there is no entry.
 */
export async function exportAuditOver(
  { filter, format, authority }: Wanted,
  stores: Stores,
): Promise<AsyncIterable<string>> {
  requireForAll(authority, 'audit:read')
  const [newest] = await stores.audit.list({}, { limit: 1 })
  const pages = exportAudit({ filter, authority, through: newest?.id }, stores)
  const { actor = null, action = null, subject = null, since } = filter
  if (!isAtDatabase(authority)) {
    await stores.changeBy(authority.author)(({ record }) =>
      record({
        action: 'audit.export',
        subject: 'audit',
        details: {
          ...{ format, actor, action, subject },
          ...{ since: since?.toISOString() ?? null, until: filter.until?.toISOString() ?? null },
        },
      }),
    )
  }
  return format === 'csv' ? exportText(pages, { format, columns: AUDIT_COLUMNS }) : jsonLines(pages)
}
