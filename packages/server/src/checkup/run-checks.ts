/** Checks the whole database for everything that must always be true. A new check is a row in a table. */
import { AUDIT_CHECKS } from './audit-checks.ts'
import type { Check, CheckDeps } from './check.ts'
import { JOB_CHECKS } from './job-checks.ts'
import { KEY_CHECKS } from './key-checks.ts'
import { REGISTER_CHECKS } from './register-checks.ts'
import { SCHEMA_CHECKS } from './schema-checks.ts'

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
