/** Exports the audit log as rows, oldest first, in pages. A log of any length needs the memory of one page. */
import type { AuditEntryId } from '@ratafia/api'
import { type Authority, isAtDatabase, requireForAll } from '../authority.ts'
import { exportText, jsonLines } from '../files/export-rows.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import { type AuditFilter, isServedByIndex, type ListedEntry } from './audit-store.ts'
import { AUDIT_COLUMNS, type AuditRow } from './entry.ts'
import { checkAction, MOST_AUDIT_ROWS } from './list.ts'

const PAGE = 1000

interface AuditExport {
  readonly filter: AuditFilter
  readonly authority: Authority
  /** The last entry that the export can contain. Default: no limit. */
  readonly through?: AuditEntryId | undefined
}

/** Throws {@link RequestError} `permission-denied` and `invalid-field` immediately, before the first page is read. */
export function auditPages(
  { filter, authority, through }: AuditExport,
  stores: TransactionStores,
): AsyncGenerator<readonly AuditRow[]> {
  requireForAll(authority, 'audit:read')
  checkAction(filter)
  return pages({ filter, through }, stores)
}

/** Yields pages, none of them empty. No query looks at more than `mostRows`. */
async function* pages(
  { filter, through }: Omit<AuditExport, 'authority'>,
  { audit, mostRows = MOST_AUDIT_ROWS }: TransactionStores,
): AsyncGenerator<readonly AuditRow[]> {
  const isServed = isServedByIndex(filter)
  for (let after: AuditEntryId | undefined; ; ) {
    const end = isServed ? undefined : await audit.nth(filter, mostRows, { after })
    const isLast = end === undefined || (through !== undefined && end >= through)
    const page = await audit.page(filter, { after, last: isLast ? through : end, limit: PAGE })
    if (page.length > 0) yield page.map(auditRow)
    if (page.length < PAGE && isLast) return
    after = page.length < PAGE ? end : page.at(-1)?.id
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

interface Wanted {
  readonly filter: AuditFilter
  readonly format: 'ndjson' | 'csv'
  readonly authority: Authority
}

/**
 * Returns the text, in chunks, of the entries that exist now, so that an export ends however fast the log
 * grows. For callers who are not at the database, the export itself is recorded (contract/administration.md,
 * A20). Throws {@link RequestError} as `auditPages` does, and then records nothing.
 */
export async function exportAudit(
  { filter, format, authority }: Wanted,
  stores: Stores,
): Promise<AsyncIterable<string>> {
  requireForAll(authority, 'audit:read')
  const [newest] = await stores.audit.list({}, { limit: 1 })
  const pages = auditPages({ filter, authority, through: newest?.id }, stores)
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
