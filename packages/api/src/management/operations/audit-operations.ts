/** The audit log in the management API. */

import { Type } from '../../type.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  AuditExportQuerySchema,
  AuditQuerySchema,
  AuditSchema,
  JobSchema,
  VerifyAuditSchema,
} from '../schemas/index.ts'

export const AUDIT_OPERATIONS = {
  audit: {
    ...MANAGEMENT_ROUTES.audit,
    ...SIGNED_IN,
    summary: 'Lists the entries that match all filters, newest first',
    description:
      'A page reads at most 20,000 rows. It may be short or empty and still have `next`: continue with it.',
    permission: 'audit:read',
    errors: [],
    query: AuditQuerySchema,
    response: AuditSchema,
  },
  exportAudit: {
    ...MANAGEMENT_ROUTES.exportAudit,
    ...SIGNED_IN,
    summary:
      'Exports the entries before this request that match all filters, oldest first, as JSON lines or CSV',
    description:
      'The response is streamed, and compressed with `Accept-Encoding: gzip`. One that breaks off is a broken transfer, never a short file. `details` is the text that was hashed. In CSV, a string that a spreadsheet would read as a formula begins with an apostrophe. An account can run two exports at a time.',
    permission: 'audit:read',
    errors: [],
    query: AuditExportQuerySchema,
    response: Type.String(),
    streams: ['application/x-ndjson', 'text/csv; charset=utf-8'],
    actions: ['audit.export'],
  },
  verifyAudit: {
    ...MANAGEMENT_ROUTES.verifyAudit,
    ...SIGNED_IN,
    summary: 'Verifies that no entry was changed, removed, moved or inserted',
    description: `\
Creates a job, whose only item has the counts as \`result\`: \`verified\`, \`unlinked\`, and \`broken_at\` if an entry is not
intact. Its \`message\` begins with the last intact entry as \`SEQ:HASH\`. Keep it elsewhere and send it as \`expect\` the next
time. After it, the message has any fault.`,
    permission: 'audit:read',
    errors: ['permission-denied'],
    body: VerifyAuditSchema,
    response: JobSchema,
    status: 202,
    actions: ['job.add', 'job.end'],
  },
} as const satisfies Record<string, ManagementOperation>
