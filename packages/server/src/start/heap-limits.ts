/**
 * Limits the size of V8's heap.
 *
 * The young generation contains new objects. V8 doubles it whenever much of it survives, up to 128 MB, and an idle
 * process keeps most of that. With 16 MB, a `whoami` takes 55 µs of CPU, with 2 MB 71. V8's flag for the limit works
 * only on the command line; in a running process, only the growth factor can be set.
 *
 * The old generation contains long-lived objects. V8 collects it when it is several times as large as after the
 * previous collection. With the caches of a busy node, that is 200 MB after some minutes, most of it garbage.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const YOUNG_BYTES = 16 * 1024 * 1024
const LOOK_MS = 1_000
/** How much of the old generation may be garbage, in percent of the size after the last collection. */
const GARBAGE_PERCENT = 20

/** Stops the young generation from growing, because garbage of the start must not enlarge it. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Makes the old generation grow by only a fifth from now on. */
export function limitOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
}

/** Lets the young generation grow while it is small, and the old generation by a fifth. */
export function limitHeap(): void {
  limitOldGeneration()
  const look = () => setFlagsFromString(`--semi-space-growth-factor=${youngBytes() < YOUNG_BYTES ? 2 : 1}`)
  look()
  setInterval(look, LOOK_MS).unref()
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
