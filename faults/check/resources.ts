/** Limits on the memory and descriptors of an idle process after a load. */
import type { Resources } from '../world/resources.ts'

/** A process that has just started uses 90 to 130 MB; after a load it was at most 250 MB. */
const MOST_MEGABYTES = 450
/** Modules, sockets and the connection pool need 25 to 45. */
const MOST_DESCRIPTORS = 120

/** Returns a sentence for each limit that the process exceeds. */
export function overLimits(name: string, { megabytes, descriptors }: Resources): readonly string[] {
  return [
    ...(megabytes > MOST_MEGABYTES ? [`${name} keeps ${megabytes} MB of memory`] : []),
    ...(descriptors > MOST_DESCRIPTORS ? [`${name} keeps ${descriptors} descriptors`] : []),
  ]
}
