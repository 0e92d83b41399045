/** Looks whether everything that must always hold does, over the whole database. A new check is a row in a table. */
import { AUDIT_CHECKS } from './audit-checks.ts'
import type { Check, CheckDeps } from './check.ts'
import { KEY_CHECKS } from './key-checks.ts'
import { REGISTER_CHECKS } from './register-checks.ts'
import { SCHEMA_CHECKS } from './schema-checks.ts'

export const CHECKS: readonly Check[] = [...SCHEMA_CHECKS, ...KEY_CHECKS, ...REGISTER_CHECKS, ...AUDIT_CHECKS]

export interface CheckResult {
  readonly name: string
  readonly holds: string
  readonly faults: number
  /** The first of them. */
  readonly examples: readonly string[]
  /** It was not looked at: what it reads is not there, and the check of the schema says so. */
  readonly skipped: boolean
}

/** So many sentences of each check are kept. */
const EXAMPLES = 20

/** One result for each check, in their order. Changes nothing. */
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
