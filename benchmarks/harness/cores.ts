/** Assigns processes to cores: the measured service has a core to itself, and everything else shares the other one. */
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

export const SERVER_CORE = '0'
/** The core of this process, the load and PostgreSQL, as if they ran on other machines. */
export const OTHER_CORE = '1'

/** Moves this process to the other core, where its children also start. Throws on a machine with one core. */
export function leaveServerCore(): void {
  if (availableParallelism() < 2) throw new Error('The benchmarks need two cores.')
  execFileSync('taskset', ['-acp', OTHER_CORE, String(process.pid)])
}

/** Returns the words of a command that runs on these cores. */
export const onCores = (cores: string, words: readonly string[]): readonly [string, readonly string[]] => [
  'taskset',
  ['-c', cores, ...words],
]
