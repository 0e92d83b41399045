/** Writes CPU profiles of the service under load, for `--profile`. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../faults/world/processes.ts'
import { ROOT } from '../../tools/test/programs.ts'
import { flameGraph } from '../report/flame-graph.ts'

const GRAPHS = join(ROOT, 'docs/performance')
const PROFILER = join(import.meta.dirname, 'profiler.ts')

/** The label, `before` or `after`; undefined without profiles. The program sets it once, when it starts. */
let label: string | undefined

export function takeProfiles(as: string): void {
  label = as
}

/** Returns the arguments for Node, the variable that names the file, and the file. */
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
  // The file exists as soon as the service begins to write it.
  await sleep(1_000)
  mkdirSync(GRAPHS, { recursive: true })
  const graph = flameGraph(JSON.parse(readFileSync(file, 'utf8')), `${name}, ${label}`)
  writeFileSync(join(GRAPHS, `${name}-${label}.svg`), graph)
}
