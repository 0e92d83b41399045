/**
 * How large V8's heap becomes.
 *
 * The young generation, where everything new is: V8 doubles it whenever much of it survives, up to 128 MB, and a process
 * that rests keeps most of that. With 16 MB a `whoami` takes 55 µs of CPU, with 2 MB 71. V8 has a flag for the limit, but
 * only on the command line: one for a running process is by how much it grows.
 *
 * The old generation, where what stays is: V8 collects it when it is several times as large as what was left of it the
 * last time. With what a busy node remembers, that is 200 MB after some minutes, most of it garbage.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const YOUNG_BYTES = 16 * 1024 * 1024
const LOOK_MS = 1_000
/** How much of the old generation may be garbage, in percent of what was left. */
const GARBAGE_PERCENT = 20

/** From now on the young generation stays as it is: what is garbage after the start must not make it grow. */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** From now on the old generation grows by a fifth. */
export function limitOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
}

/** From now on the young generation grows as long as it is small, and the old one by a fifth. */
export function limitHeap(): void {
  limitOldGeneration()
  const look = () => setFlagsFromString(`--semi-space-growth-factor=${youngBytes() < YOUNG_BYTES ? 2 : 1}`)
  look()
  setInterval(look, LOOK_MS).unref()
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
