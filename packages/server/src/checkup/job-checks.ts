/** Rules for jobs of CI systems, and the sessions they opened. */
import { storedRuleProblem } from '../ci/rules/managing/stored-rule.ts'
import type { Check } from './check.ts'

export const JOB_CHECKS: readonly Check[] = [
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
