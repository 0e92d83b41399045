/** The log of changes. */
import { verifyAudit } from '../audit/verify.ts'
import type { Check } from './check.ts'

export const AUDIT_CHECKS: readonly Check[] = [
  {
    name: 'audit',
    holds: 'The chain of the audit log is intact.',
    async *find(deps) {
      const { broken } = await verifyAudit({}, deps)
      if (broken) yield `Entry ${broken.seq} of the audit log: ${broken.why}.`
    },
  },
]
