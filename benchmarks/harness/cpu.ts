/** Measures processes' CPU time (user and system) by the scheduler, with all threads and children, in nanoseconds. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

let ticks: number | undefined
const ticksPerSecond = (): number =>
  (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })))

/** Returns the processes and all their descendants that are still running. */
export function familyOf(pids: readonly number[]): readonly number[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent)
  const family = new Set<number>()
  const add = (pid: number) => {
    if (family.has(pid)) return
    family.add(pid)
    for (const child of children.get(pid) ?? []) add(child.pid)
  }
  for (const pid of pids) add(pid)
  return [...family]
}

/** Returns the process's running children. */
export const childrenOf = (pid: number): readonly number[] =>
  processes().flatMap((each) => (each.parent === pid ? [each.pid] : []))

/** Returns the milliseconds that the processes and their descendants, running or ended, have used so far. */
export function cpuOf(pids: readonly number[]): number {
  return familyOf(pids).reduce((sum, pid) => sum + threadsOf(pid) + endedChildrenOf(pid), 0)
}

/** Returns the resident memory of one process, in MB (2^20 bytes). */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? []
  return Number(kilobytes ?? 0) / 1024
}

/** Returns the milliseconds of a process's threads, from `schedstat`: `stat` rounds to ticks of 10 ms. */
function threadsOf(pid: number): number {
  return list(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds = '0'] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')
    return sum + Number(nanoseconds) / 1e6
  }, 0)
}

/** Returns the milliseconds of the children that have ended and were waited for, rounded to ticks. */
export function endedChildrenOf(pid: number): number {
  const [, , , , , , , , , , , , , user = '0', system = '0'] = fieldsOf(pid)
  return ((Number(user) + Number(system)) * 1_000) / ticksPerSecond()
}

function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(fieldsOf(Number(name))[1] ?? 0) }))
}

/** Returns the fields after the name in brackets, which can contain spaces and brackets: state, parent, … */
function fieldsOf(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
}

/** Reads a file, or returns an empty string if the process or thread has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
