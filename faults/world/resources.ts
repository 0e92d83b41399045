/** Reads how much memory and how many descriptors a process has. Works on Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Resources {
  readonly megabytes: number
  readonly descriptors: number
}

/** Returns undefined for a process that has exited, and on systems other than Linux. */
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
