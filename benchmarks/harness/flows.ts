/** Load by sequences of dependent requests, which this process sends with the clients of the fault suite. */
import { newRecorder, Wire } from '../../faults/load/wire.ts'
import type { Load } from './rounds.ts'
import { percentile } from './statistics.ts'

/** The statuses that clients expect. A login begins with the 401 that explains how to log in. */
const EXPECTED: ReadonlySet<number> = new Set([200, 401])

/** Sends one sequence of requests. Throws if one is refused. */
export type Flow = (wire: Wire, turn: number) => Promise<void>

/** Load by `clients` that run the flow at the same time until the time is over. A round has at most `most` turns. */
export function flows(port: number, clients: number, flow: Flow, most = Number.POSITIVE_INFINITY): Load {
  let turn = 0
  return {
    async run(seconds, begin) {
      const recorder = newRecorder()
      const wire = new Wire([{ name: 'ours', port }], recorder)
      const times: number[] = []
      const last = turn + most
      await begin()
      const began = performance.now()
      const client = async () => {
        for (let now = began; now - began < seconds * 1_000 && turn < last; ) {
          await flow(wire, turn++)
          const after = performance.now()
          times.push(after - now)
          now = after
        }
      }
      try {
        await Promise.all(Array.from({ length: clients }, client))
      } finally {
        wire.close()
      }
      const failed = recorder.history.find(({ status }) => !EXPECTED.has(status))
      if (failed) throw new Error(`${failed.kind} got ${failed.status}: ${failed.detail}`)
      return {
        ...{ requests: times.length, seconds: (performance.now() - began) / 1_000 },
        ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
      }
    },
  }
}
