/**
 * Counts what is limited: sign-ins per account, requests per address. Shared by the workers of a machine, in memory and
 * within a bound; this asks no database, so a refusal costs nothing.
 *
 * Each counter is a bucket that leaks: `burst` at once, then one more every `interval`.
 */
import type { Clock } from '../clock.ts'

/** What is limited, and how far. Each rule remembers its own keys: a flood of one pushes out nothing of another. */
export interface Rule {
  /** A constant of the code, such as `sign-in/address`: one name has one set of limits. */
  readonly name: string
  /** How many are taken at once. */
  readonly burst: number
  /** Milliseconds until one is forgotten. */
  readonly interval: number
  /** How many keys are remembered at most; beyond it the least recent is forgotten. Default 10,000. */
  readonly remembered?: number
}

/** One bucket. Only the first 128 characters of the key count. */
export interface Counted {
  readonly rule: Rule
  readonly key: string
}

export type Taken =
  | { readonly allowed: true }
  /** Full, and nothing was taken: all have room again after `waitMs` milliseconds, at least 1. */
  | { readonly allowed: false; readonly waitMs: number }

export interface Counters {
  /**
   * Takes one from each of the buckets, or from none if one of them is full. Never throws or rejects. At once where
   * this process counts: every request with a limit asks.
   */
  take(counted: readonly Counted[]): Taken | Promise<Taken>
  /** Puts back what {@link Counters.take} took: it did not count after all. */
  giveBack(counted: readonly Counted[]): void
}

const REMEMBERED = 10_000
const KEY_LENGTH = 128

/** Counters of this process alone. */
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

/** A bucket is one number: the time at which it will be empty. */
class Buckets {
  readonly #emptyAt = new Map<string, number>()
  readonly #rule: Rule

  constructor(rule: Rule) {
    this.#rule = rule
  }

  /** When there is room for one more; not after `now` if there already is. */
  openAt(key: string, now: number): number {
    const { burst, interval } = this.#rule
    return (this.#emptyAt.get(key) ?? now) - (burst - 1) * interval
  }

  add(key: string, now: number): void {
    const { interval, remembered = REMEMBERED } = this.#rule
    const emptyAt = Math.max(this.#emptyAt.get(key) ?? now, now) + interval
    // A Map keeps the order of insertion: the first key is the one that was counted longest ago.
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
