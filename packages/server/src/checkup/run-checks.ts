/** Checks the whole database for everything that must always be true. To add a check, add a row to a table. */
import { verifyAudit } from '../audit/verify.ts'
import { storedRuleProblem } from '../ci/rules/managing/stored-rule.ts'
import type { Check, CheckDeps } from './check.ts'
import { KEY_CHECKS } from './key-checks.ts'
import { REGISTER_CHECKS } from './register-checks.ts'

/** Checks of the rules that the database itself must enforce. */
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
        yield `Rows of ${table} that refer by ${columns} to missing rows of ${to}: ${count}, such as ${example}.`
      }
    },
  },
]

/** Checks of CI rules and the sessions they opened. */
const JOB_CHECKS: readonly Check[] = [
  {
    name: 'rules',
    holds: 'Every CI rule can be read, and is unchanged since it was created.',
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
        yield `The token session ${id} was opened by a rule that was removed or disabled, but it is not revoked.`
    },
  },
]

/** Checks of the audit log. */
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
    holds: 'Everything that the audit log records as revoked is revoked.',
    async *find({ rows }) {
      for await (const { what, id } of rows.undoneRevocations())
        yield `The ${what} ${id} was revoked according to the audit log, but is not revoked now.`
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
  /** The first problems, as sentences. */
  readonly examples: readonly string[]
  /** Whether it did not run, because tables are missing, which the check of the schema reports. */
  readonly skipped: boolean
}

/** How many sentences each check keeps. */
const EXAMPLES = 20

/** Returns a result for each check, in order. Changes nothing. */
export async function runChecks(
  deps: CheckDeps,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  const readable = (await deps.schema.missingToRead()).length === 0
  for (const { name, holds, nothingYet, find } of CHECKS) {
    if (!readable && name !== 'schema') {
      results.push({ name, holds, faults: 0, examples: [], skipped: true })
      continue
    }
    let faults = 0
    const examples: string[] = []
    const nothing = await nothingYet?.(deps)
    for await (const fault of nothing === undefined ? find(deps) : []) {
      faults++
      if (examples.length < EXAMPLES) examples.push(fault)
    }
    results.push({ name, holds: nothing ?? holds, faults, examples, skipped: false })
    onProgress(results.length, CHECKS.length)
  }
  return results
}
