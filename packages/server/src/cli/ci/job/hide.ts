/** Hides secrets in the log of the job, where its platform can: it learns them before anything is done with them. */
import type { JobEnvironment } from '../../../config/job-environment.ts'
import { runProgram } from './program.ts'

/** Resolves when the platform knows them. */
export type Hide = (secrets: readonly string[]) => Promise<void>

/** `say` writes to a stream that the platform reads. */
export function hiding(job: JobEnvironment, say: (text: string) => void): Hide {
  const line = lineFor(job)
  if (line) return async (secrets) => say(linesOf(secrets).map(line).join(''))
  if (job.variable('BUILDKITE') !== undefined) return (secrets) => redact(linesOf(secrets), job)
  return async () => {}
}

/** The command that the platform looks for in what a step writes. */
function lineFor(job: JobEnvironment): ((secret: string) => string) | undefined {
  // Forgejo, too.
  if (job.variable('GITHUB_ACTIONS') !== undefined) {
    return (secret) => `::add-mask::${secret.replaceAll('%', '%25')}\n`
  }
  if (job.variable('TF_BUILD') !== undefined) {
    return (secret) => `##vso[task.setsecret]${secret.replaceAll('%', '%AZP25')}\n`
  }
  return undefined
}

/** A command ends with its line. */
const linesOf = (secrets: readonly string[]): readonly string[] => [
  ...new Set(secrets.flatMap((secret) => secret.split(/[\r\n]+/)).filter((text) => text !== '')),
]

/** An agent before 3.67 cannot. Even then nothing prints the secrets: they go only where `--export` says. */
async function redact(secrets: readonly string[], job: JobEnvironment): Promise<void> {
  for (const secret of secrets) {
    await runProgram('buildkite-agent', ['redactor', 'add'], { job, input: secret }).catch(() => undefined)
  }
}
