/** The log of changes. */
import { verifyAudit } from '../audit/verify.ts'
import type { Check } from './check.ts'

export const AUDIT_CHECKS: readonly Check[] = [
  {
    name: 'audit',
    holds: 'The chain of the audit log is intact.',
    async *find({ stores }) {
      const { broken } = await verifyAudit({}, stores)
      if (broken) yield `Entry ${broken.seq} of the audit log: ${broken.why}.`
    },
  },
  {
    name: 'revocations',
    holds: 'What was revoked by the audit log is revoked.',
    async *find({ rows }) {
      for await (const { what, id } of rows.undoneRevocations())
        yield `The ${what} ${id} was revoked, as the audit log says, and is not revoked now.`
    },
  },
]
