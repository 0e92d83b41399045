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
    summary: 'The entries that fit all filters, newest first',
    description:
      'A page looks at 20,000 rows at most. It may be short or empty and have `next` all the same: go on with it.',
    permission: 'audit:read',
    errors: [],
    query: AuditQuerySchema,
    response: AuditSchema,
  },
  exportAudit: {
    ...MANAGEMENT_ROUTES.exportAudit,
    ...SIGNED_IN,
    summary: 'The entries of before this request that fit all filters, oldest first, as JSON lines or CSV',
    description:
      'Sent as it is read, and compressed with `Accept-Encoding: gzip`. An answer that breaks off is a broken transfer, and not a short file. `details` is the text that was hashed. In CSV, a text that a spreadsheet would take for a formula has an apostrophe in front. Two at a time for an account.',
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
    summary: 'Checks that no entry was changed, removed, moved or inserted',
    description: `\
Makes a job, whose only item has the counts as \`result\`: \`verified\`, \`unlinked\`, and \`broken_at\` if an entry is not
intact. Its \`message\` is the last intact entry as \`SEQ:HASH\`, to be kept elsewhere and sent as \`expect\` the next time,
and behind it what is wrong.`,
    permission: 'audit:read',
    errors: ['permission-denied'],
    body: VerifyAuditSchema,
    response: JobSchema,
    status: 202,
    actions: ['job.add', 'job.end'],
  },
} as const satisfies Record<string, ManagementOperation>
