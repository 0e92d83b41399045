/** CPU profiles of the service under its load, with `--profile`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../faults/world/processes.ts'
import { ROOT } from '../../tools/test/programs.ts'
import { flameGraph } from '../report/flame-graph.ts'

const GRAPHS = join(ROOT, 'docs/performance')
const PROFILER = join(import.meta.dirname, 'profiler.ts')

/** `before` or `after`; undefined: no profiles. Set once, by the program's start. */
let label: string | undefined

export function takeProfiles(as: string): void {
  label = as
}

/** The words for Node, and the variable that names the file. */
export function profilerOf(directory: string) {
  const file = join(directory, 'cpu.cpuprofile')
  if (label === undefined) return { words: [], environment: {}, file }
  return { words: ['--import', PROFILER], environment: { BENCH_PROFILE: file }, file }
}

/** Profiles the process while `load` runs, and draws `docs/performance/NAME-LABEL.svg`. */
export async function profile(
  pid: number,
  file: string,
  name: string,
  load: () => Promise<unknown>,
): Promise<void> {
  if (label === undefined) return
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  await sleep(300)
  await load()
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await sleep(100)
  // It is written at once, but not all of it at a time.
  await sleep(1_000)
  mkdirSync(GRAPHS, { recursive: true })
  const graph = flameGraph(JSON.parse(readFileSync(file, 'utf8')), `${name}, ${label}`)
  writeFileSync(join(GRAPHS, `${name}-${label}.svg`), graph)
}
