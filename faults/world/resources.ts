/** How much memory and how many descriptors a process has. Of Linux alone: elsewhere nothing is known. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Resources {
  readonly megabytes: number
  readonly descriptors: number
}

/** Undefined for a process that is gone, or where the system does not tell. */
export function resourcesOf(pid: number): Resources | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return {
      megabytes: Math.round(Number(kilobytes) / 1_024),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    }
  } catch {
    return undefined
  }
}
