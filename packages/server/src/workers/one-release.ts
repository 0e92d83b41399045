/**
 * Keeps the workers of a machine at one release (docs/decisions/0076-workers-of-one-release.md). A worker that replaces
 * another starts from the files of the program, which an upgrade can have replaced.
 */
import cluster from 'node:cluster'

/** Does not begin with `RATAFIA_`, because it is not a setting. */
const VARIABLE = 'SUPERVISOR_RATAFIA_RELEASE'

/** Returns what the environment of a worker needs besides its settings. */
export const environmentOfWorker = (release: string): Readonly<Record<string, string>> => ({
  [VARIABLE]: release,
})

/** Whether this process is a worker whose supervisor is of another release, or of one without this rule. */
export const hasOtherSupervisor = (
  release: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean => cluster.isWorker && environment[VARIABLE] !== release
