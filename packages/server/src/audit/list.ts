/** Lists the newest entries of the audit log, a page at a time, with bounded work (contract/administration.md, A8). */
import type { AuditEntryId } from '@ratafia/api'
import { type Authority, requireForAll } from '../authority.ts'
import { ACTIONS } from '../change.ts'
import { invalidField } from '../errors.ts'
import { pageOf } from '../page.ts'
import type { TransactionStores } from '../stores.ts'
import { type AuditFilter, isServedByIndex, type ListedEntry } from './audit-store.ts'

export interface AuditPage {
  readonly entries: readonly ListedEntry[]
  /** Pass it as `before` to get the next page; undefined on the last one. */
  readonly next: AuditEntryId | undefined
  /** How many rows were examined before the search stopped early; undefined if it did not. */
  readonly examined: number | undefined
}

interface AuditListing extends AuditFilter {
  readonly authority: Authority
  readonly before?: AuditEntryId | undefined
  readonly limit: number
}

/** How many rows a page examines at most; the page can be short then. */
export const MOST_AUDIT_ROWS = 20_000

/** Lists entries. Throws {@link RequestError} `permission-denied`, and `invalid-field` for an unknown action. */
export async function listAudit(
  { authority, before, limit, ...filter }: AuditListing,
  { audit, mostRows = MOST_AUDIT_ROWS }: TransactionStores,
): Promise<AuditPage> {
  requireForAll(authority, 'audit:read')
  checkAction(filter)
  const last = isServedByIndex(filter) ? undefined : await audit.nth(filter, mostRows, { before })
  const { rows: entries, next } = await pageOf(limit, (most) =>
    audit.list(filter, { before, last, limit: most }),
  )
  if (next) return { entries, next: next.id, examined: undefined }
  return { entries, next: last, examined: last === undefined ? undefined : mostRows }
}

/** Throws for an unknown action. A typing mistake must not look as if nothing had happened. */
export function checkAction({ action }: AuditFilter): void {
  if (action === undefined || Object.hasOwn(ACTIONS, action)) return
  throw invalidField(`${JSON.stringify(action.slice(0, 64))} is not an action of the audit log.`, {
    field: 'action',
  })
}

/** Returns an entry as the API and `--json` show it. Times are RFC 3339 in UTC. */
export const auditRecord = ({ link, at, details, ...entry }: ListedEntry) => ({
  seq: link?.seq ?? null,
  id: entry.id,
  actor: entry.actor,
  source: entry.source,
  action: entry.action,
  subject: entry.subject,
  at: at.toISOString(),
  details: JSON.parse(details) as Readonly<Record<string, unknown>>,
})
