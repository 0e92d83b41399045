/** The audit log in the management API: HTTP in, operation, HTTP out. */
import { type AuditEntryId, isAuditEntryId } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../errors.ts'
import { instantField } from '../http/management/instant-text.ts'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { cursorOf, positionIn } from '../http/management/pages.ts'
import { Streamed } from '../http/management/streamed.ts'
import type { Stores } from '../stores.ts'
import { exportAudit } from './export.ts'
import { auditRecord, listAudit } from './list.ts'

export function auditManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS
  add(api.audit, async ({ authority, query }) => {
    const [position] = positionIn(query, 1) ?? []
    const { limit = 100 } = query
    const before = entryIn('query/cursor', position) ?? entryIn('query/before', query.before)
    const listing = { ...filterIn(query), authority, before, limit }
    const { entries, next, examined } = await listAudit(listing, stores)
    return {
      entries: entries.map(auditRecord),
      next: cursorOf(next && [next], query),
      ...(examined === undefined ? {} : { examined }),
    }
  })

  add(api.exportAudit, async ({ authority, query }) => {
    const { format = 'ndjson' } = query
    const text = await exportAudit({ filter: filterIn(query), format, authority }, stores)
    return format === 'csv'
      ? new Streamed('text/csv; charset=utf-8', 'audit.csv', text)
      : new Streamed('application/x-ndjson', 'audit.jsonl', text)
  })
}

interface AuditQuery {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
}

const filterIn = ({ actor, action, subject, since, until }: AuditQuery) => ({
  ...{ actor, action, subject },
  since: since === undefined ? undefined : instantField('query/since', since),
  until: until === undefined ? undefined : instantField('query/until', until),
})

function entryIn(field: string, text: string | undefined): AuditEntryId | undefined {
  if (text === undefined || isAuditEntryId(text)) return text
  throw invalidField(`${field} is not the id of an entry.`, { field })
}
