/** Logs in on every node repeatedly, to measure the longest time without a login. */
import { logIn } from '../../../faults/load/log-in.ts'
import { seeded } from '../../../faults/load/random.ts'
import type { Person } from '../../../faults/load/scene.ts'
import { type Recorder, type Target, Wire } from '../../../faults/load/wire.ts'
import { sleep } from '../../../faults/world/processes.ts'

const EVERY_MS = 300
/** More logins than start while a request waits for an answer, so that a node that is back is noticed at once. */
const AT_ONCE = 64

export interface LoginWatch {
  /** Returns the number of successful logins so far. */
  count(): number
  /** Stops. Returns the longest time between two successful logins on any node, in milliseconds. */
  stop(): Promise<number>
}

export function watchLogins(nodes: readonly Target[], person: Person, recorder: Recorder): LoginWatch {
  let over = false
  let count = 0
  let longest = 0
  const watch = async (node: Target) => {
    const wire = new Wire([node], recorder)
    const random = seeded('login watch', node.name)
    const running = new Set<Promise<unknown>>()
    let last = performance.now()
    const worked = () => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    for (; !over; await sleep(EVERY_MS)) {
      if (running.size >= AT_ONCE) continue
      const login = logIn(person, wire, random).then((token) => {
        running.delete(login)
        if (!token || over) return
        count++
        worked()
      })
      running.add(login)
    }
    // The time without a login at the end also counts.
    worked()
    await Promise.all(running)
    wire.close()
  }
  const watches = Promise.all(nodes.map(watch))
  return {
    count: () => count,
    stop: async () => {
      over = true
      await watches
      return longest
    },
  }
}
