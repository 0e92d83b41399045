/**
 * Slows down the guessing of passwords: failures are counted per account name and per network address, in memory and
 * within a bound. It counts what was typed, whether such an account exists or not, so it tells nothing about that.
 *
 * Each counter is a bucket that leaks: `burst` failures at once, then one more every `interval`.
 */
import type { Clock } from '../clock.ts'
import { addressKey } from './address.ts'

export interface ThrottleLimits {
  /** How many failures in a row are taken. */
  readonly burst: number
  /** Milliseconds until one failure is forgotten. */
  readonly interval: number
}

export interface ThrottleOptions {
  readonly clock: Clock
  readonly perAccount?: ThrottleLimits
  readonly perAddress?: ThrottleLimits
  /** How many names and how many addresses are remembered at most; beyond it the least recent is forgotten. */
  readonly remembered?: number
}

export interface Throttle {
  /**
   * Counts an attempt before it is made, so that a hundred at once are counted too. `false` for `allowed` says when
   * the next one is. An attempt that succeeded, or could not be checked, is taken back by `forgive`.
   */
  attempt(who: { readonly username: string; readonly address: string }): Attempt
}

export type Attempt =
  | { readonly allowed: true; readonly forgive: () => void }
  | { readonly allowed: false; readonly retryAt: Date }

const PER_ACCOUNT: ThrottleLimits = { burst: 10, interval: 60_000 }
/** More than for an account: an office shares one address. */
const PER_ADDRESS: ThrottleLimits = { burst: 30, interval: 20_000 }

export function createThrottle(options: ThrottleOptions): Throttle {
  const { clock, perAccount = PER_ACCOUNT, perAddress = PER_ADDRESS, remembered = 10_000 } = options
  const accounts = new Buckets(perAccount, remembered)
  const addresses = new Buckets(perAddress, remembered)
  return {
    attempt: ({ username, address }) => {
      const now = clock().getTime()
      const name = username.slice(0, 64)
      const network = addressKey(address)
      const retryAt = Math.max(accounts.openAt(name, now), addresses.openAt(network, now))
      if (retryAt > now) return { allowed: false, retryAt: new Date(retryAt) }
      accounts.add(name, now)
      addresses.add(network, now)
      return {
        allowed: true,
        forgive: () => {
          accounts.takeBack(name)
          addresses.takeBack(network)
        },
      }
    },
  }
}

/** A bucket is one number: the time at which it will be empty. */
class Buckets {
  readonly #emptyAt = new Map<string, number>()
  readonly #limits: ThrottleLimits
  readonly #remembered: number

  constructor(limits: ThrottleLimits, remembered: number) {
    this.#limits = limits
    this.#remembered = remembered
  }

  /** When there is room for one more; not after `now` when there is room already. */
  openAt(key: string, now: number): number {
    const { burst, interval } = this.#limits
    return (this.#emptyAt.get(key) ?? now) - (burst - 1) * interval
  }

  add(key: string, now: number): void {
    const emptyAt = Math.max(this.#emptyAt.get(key) ?? now, now) + this.#limits.interval
    // A Map keeps the order of insertion: the first key is the one that failed longest ago.
    this.#emptyAt.delete(key)
    this.#emptyAt.set(key, emptyAt)
    if (this.#emptyAt.size > this.#remembered) {
      const [oldest] = this.#emptyAt.keys()
      if (oldest !== undefined) this.#emptyAt.delete(oldest)
    }
  }

  takeBack(key: string): void {
    const emptyAt = this.#emptyAt.get(key)
    if (emptyAt !== undefined) this.#emptyAt.set(key, emptyAt - this.#limits.interval)
  }
}
