/** Reads the memory, descriptors and sockets of a process. Works on Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

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

/** The state of a socket that listens, in `/proc/net/tcp`. */
const LISTENING = '0A'

/** Returns whether a process listens on a TCP port; false if it has exited. */
export function listensOn(port: number, pid: number): boolean {
  const listening = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local, , state]) => state === LISTENING && Number.parseInt(local?.split(':')[1] ?? '', 16) === port,
    )
    .map(([, , , , , , , , , inode]) => `socket:[${inode}]`)
  try {
    const descriptors = `/proc/${pid}/fd`
    return readdirSync(descriptors).some((name) => listening.includes(readlinkSync(`${descriptors}/${name}`)))
  } catch {
    return false
  }
}
