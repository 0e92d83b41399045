/** Checks the whole database for everything that must always be true. A new check is a row in a table. */

import { verifyAudit } from '../audit/verify.ts'
import { storedRuleProblem } from '../ci/rules/managing/stored-rule.ts'
import type { Check, CheckDeps } from './check.ts'
import { KEY_CHECKS } from './key-checks.ts'
import { REGISTER_CHECKS } from './register-checks.ts'

/** What the database itself must enforce. */
const SCHEMA_CHECKS: readonly Check[] = [
  {
    name: 'schema',
    holds: 'Every table, column, index, constraint and trigger of the migrations exists.',
    async *find({ schema }) {
      for await (const what of schema.missingFromSchema()) yield `There is no ${what}.`
    },
  },
  {
    name: 'references',
    holds: 'Every row that a row refers to exists: sessions have their account or device, keys their brand.',
    async *find({ schema }) {
      for await (const { table, columns, to, count, example } of schema.danglingReferences()) {
        yield `${count} rows of ${table} refer by ${columns} to nothing in ${to}, such as ${example}.`
      }
    },
  },
]

/** Rules for jobs of CI systems, and the sessions they opened. */
const JOB_CHECKS: readonly Check[] = [
  {
    name: 'rules',
    holds: 'Every rule for jobs can be read, and says what it said when it was made.',
    async *find({ jobs }) {
      for await (const rule of jobs.rules()) {
        const problem = storedRuleProblem(rule)
        if (problem !== undefined) yield `The rule ${rule.name} ${problem}`
      }
    },
  },
  {
    name: 'rule-sessions',
    holds: 'The sessions of a removed or disabled rule are revoked.',
    async *find({ jobs }) {
      for await (const { id } of jobs.sessionsOfEndedRules())
        yield `The token session ${id} was opened by a rule that is removed or disabled, and is not revoked.`
    },
  },
]

/** The log of changes. */
const AUDIT_CHECKS: readonly Check[] = [
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

export const CHECKS: readonly Check[] = [
  ...SCHEMA_CHECKS,
  ...KEY_CHECKS,
  ...REGISTER_CHECKS,
  ...JOB_CHECKS,
  ...AUDIT_CHECKS,
]

export interface CheckResult {
  readonly name: string
  readonly holds: string
  readonly faults: number
  /** The first of them. */
  readonly examples: readonly string[]
  /** Not checked: what it reads does not exist, as the check of the schema reports. */
  readonly skipped: boolean
}

/** How many sentences of each check are kept. */
const EXAMPLES = 20

/** Returns a result for each check, in order. Changes nothing. */
export async function runChecks(
  deps: CheckDeps,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  const readable = (await deps.schema.missingToRead()).length === 0
  for (const { name, holds, find } of CHECKS) {
    if (!readable && name !== 'schema') {
      results.push({ name, holds, faults: 0, examples: [], skipped: true })
      continue
    }
    let faults = 0
    const examples: string[] = []
    for await (const fault of find(deps)) {
      faults++
      if (examples.length < EXAMPLES) examples.push(fault)
    }
    results.push({ name, holds, faults, examples, skipped: false })
    onProgress(results.length, CHECKS.length)
  }
  return results
}
