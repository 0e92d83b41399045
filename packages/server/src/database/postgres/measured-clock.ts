/**
 * The time of PostgreSQL, computed from this process's monotonic clock. Each heartbeat (`heartbeats.ts`)
 * brings the server's time, read between when the heartbeat was sent and when it was answered. So the
 * difference between the two clocks has two bounds, a round trip apart, and the best bounds of all heartbeats
 * count. This machine's own clock is not used, so it can be set while the process runs.
 */
import type { Clock, DatabaseClock } from '../../clock.ts'

/** How fast the two clocks can drift apart while each is adjusted by NTP (500 ppm at most). */
const DRIFT = 0.001

export class MeasuredClock implements DatabaseClock {
  readonly #monotonic: () => number
  /** Bounds of the database's time minus the monotonic clock's; undefined before the first measurement. */
  #bounds: { readonly low: number; readonly high: number; readonly at: number } | undefined

  /** `monotonic` is in milliseconds. */
  constructor(monotonic = () => performance.now()) {
    this.#monotonic = monotonic
  }

  /** Adds a measurement, in milliseconds: the server read `time` after `sent` (monotonic) and before now. */
  measured(sent: number, time: number): void {
    const at = this.#monotonic()
    const measured = { low: time - at, high: time - sent, at }
    const known = this.#bounds
    if (!known) {
      this.#bounds = measured
      return
    }
    const drift = (at - known.at) * DRIFT
    const low = Math.max(measured.low, known.low - drift)
    const high = Math.min(measured.high, known.high + drift)
    // If they exclude each other, the server's clock was set, another server took over, or this machine slept.
    this.#bounds = low <= high ? { low, high, at } : measured
  }

  /**
   * Returns a time that is never ahead of the database's clock, and at most a network delay behind it. Throws
   * `TypeError` before the first measurement; opening a database measures before anything else.
   */
  readonly now: Clock = () => new Date(this.#monotonic() + this.#measured.low)

  aheadBy(machine: Date): number {
    const { low, high } = this.#measured
    const ours = machine.getTime() - this.#monotonic()
    return ours > high ? ours - high : Math.min(ours - low, 0)
  }

  get #measured() {
    if (!this.#bounds) throw new TypeError('The time of the database has not been measured yet.')
    return this.#bounds
  }
}
