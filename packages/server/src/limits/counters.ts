/**
 * Counts limited actions, such as sign-ins per account and requests per address. The counters are shared by
 * the workers of a machine, in bounded memory. They do not use the database, so a refusal is cheap.
 *
 * Each counter is a leaky bucket: it allows `burst` at once, then one more every `interval`.
 */
import type { Clock } from '../clock.ts'

/** A limit. Each rule remembers its own keys, so a flood of one rule does not displace keys of another. */
export interface Rule {
  /** A constant name, such as `sign-in/address`. A name always has the same limits. */
  readonly name: string
  /** The number allowed at once. */
  readonly burst: number
  /** The time after which one more is allowed, in milliseconds. */
  readonly interval: number
  /** The maximum number of keys that are remembered. Beyond it, the least recent one is forgotten. Default: 10,000. */
  readonly remembered?: number
}

/** One bucket. Only the first 128 characters of the key are used. */
export interface Counted {
  readonly rule: Rule
  readonly key: string
}

export type Taken =
  | { readonly allowed: true }
  /** A bucket is full, and nothing was taken. All have room again after `waitMs` milliseconds, which is at least 1. */
  | { readonly allowed: false; readonly waitMs: number }

export interface Counters {
  /**
   * Takes one from each of the buckets, or from none if one of them is full. Never throws or rejects. Not a
   * promise if this process does the counting, because every limited request calls it.
   */
  take(counted: readonly Counted[]): Taken | Promise<Taken>
  /** Gives back what {@link Counters.take} took, if the action turns out not to be limited. */
  giveBack(counted: readonly Counted[]): void
}

const REMEMBERED = 10_000
const KEY_LENGTH = 128

/** Returns the counters of this process only. */
export function localCounters({ clock }: { readonly clock: Clock }): Counters {
  const rules = new Map<string, Buckets>()
  const bucketsOf = ({ rule, key }: Counted) => {
    const known = rules.get(rule.name) ?? new Buckets(rule)
    rules.set(rule.name, known)
    return { buckets: known, key: key.slice(0, KEY_LENGTH) }
  }
  return {
    take: (counted) => {
      const now = clock().getTime()
      const all = counted.map(bucketsOf)
      const openAt = Math.max(now, ...all.map(({ buckets, key }) => buckets.openAt(key, now)))
      if (openAt > now) return { allowed: false, waitMs: Math.ceil(openAt - now) }
      for (const { buckets, key } of all) buckets.add(key, now)
      return { allowed: true }
    },
    giveBack: (counted) => {
      for (const { buckets, key } of counted.map(bucketsOf)) buckets.takeBack(key)
    },
  }
}

/** The buckets of a rule. Each is one number, the time at which it will be empty. */
class Buckets {
  readonly #emptyAt = new Map<string, number>()
  readonly #rule: Rule

  constructor(rule: Rule) {
    this.#rule = rule
  }

  /** Returns the time when there will be room for one more; not after `now` if there is room already. */
  openAt(key: string, now: number): number {
    const { burst, interval } = this.#rule
    return (this.#emptyAt.get(key) ?? now) - (burst - 1) * interval
  }

  add(key: string, now: number): void {
    const { interval, remembered = REMEMBERED } = this.#rule
    const emptyAt = Math.max(this.#emptyAt.get(key) ?? now, now) + interval
    // A Map keeps the order of insertion, so the first key is the one that was counted longest ago.
    this.#emptyAt.delete(key)
    this.#emptyAt.set(key, emptyAt)
    if (this.#emptyAt.size > remembered) {
      const [oldest] = this.#emptyAt.keys()
      if (oldest !== undefined) this.#emptyAt.delete(oldest)
    }
  }

  takeBack(key: string): void {
    const emptyAt = this.#emptyAt.get(key)
    if (emptyAt !== undefined) this.#emptyAt.set(key, emptyAt - this.#rule.interval)
  }
}
