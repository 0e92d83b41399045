/** An entry of the audit log, as the API and `--json` show it. Times are RFC 3339 in UTC. */
import type { ListedEntry } from './audit-store.ts'

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
