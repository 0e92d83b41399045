/** What an idle process may keep after any load. */
import type { Resources } from '../world/resources.ts'

/** A process that has just started takes 90 to 130; what a load leaves behind was 250 at most. */
const MOST_MEGABYTES = 450
/** Modules, sockets and the pool of connections: 25 to 45. */
const MOST_DESCRIPTORS = 120

/** One sentence for each limit that a process is over. */
export function overLimits(name: string, { megabytes, descriptors }: Resources): readonly string[] {
  return [
    ...(megabytes > MOST_MEGABYTES ? [`${name} keeps ${megabytes} MB of memory`] : []),
    ...(descriptors > MOST_DESCRIPTORS ? [`${name} keeps ${descriptors} descriptors`] : []),
  ]
}
