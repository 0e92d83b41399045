/** Who runs where: what is measured has a core to itself, and everything else shares the other one. */
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

export const SERVER_CORE = '0'
/** This process, the load, and PostgreSQL, as if they were on other machines. */
export const OTHER_CORE = '1'

/** Moves this process to the other core; its children start there. Throws on a machine with one core. */
export function leaveServerCore(): void {
  if (availableParallelism() < 2) throw new Error('The benchmarks need two cores.')
  execFileSync('taskset', ['-acp', OTHER_CORE, String(process.pid)])
}

/** The words of a command that runs on these cores. */
export const onCores = (cores: string, words: readonly string[]): readonly [string, readonly string[]] => [
  'taskset',
  ['-c', cores, ...words],
]
