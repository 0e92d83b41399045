/**
 * Slows down the guessing of passwords: counts failures per account name and per network address. It counts the name as
 * typed, whether or not there is such an account, so it reveals nothing about that.
 */
import { networksOf } from '../../address.ts'
import type { Clock } from '../../clock.ts'
import type { Counters, Rule } from '../../counters.ts'

export interface ThrottleOptions {
  readonly clock: Clock
  readonly counters: Counters
  readonly perAccount?: Rule
  readonly perAddress?: Rule
}

export interface Throttle {
  /**
   * Counts an attempt before it is made, so that a hundred at once are counted too. If it is not allowed, `retryAt`
   * says when the next one is. `forgive` takes back an attempt that succeeded or could not be checked.
   */
  attempt(who: { readonly username: string; readonly address: string }): Promise<Attempt>
}

export type Attempt =
  | { readonly allowed: true; readonly forgive: () => void }
  | { readonly allowed: false; readonly retryAt: Date }

const PER_ACCOUNT: Rule = { name: 'sign-in/account', burst: 10, interval: 60_000 }
/** More than per account: an office shares one address. */
const PER_ADDRESS: Rule = { name: 'sign-in/address', burst: 30, interval: 20_000 }

export function createThrottle(options: ThrottleOptions): Throttle {
  const { clock, counters, perAccount = PER_ACCOUNT, perAddress = PER_ADDRESS } = options
  return {
    attempt: async ({ username, address }) => {
      const counted = [
        { rule: perAccount, key: username.slice(0, 64) },
        { rule: perAddress, key: networksOf(address)[0] },
      ]
      const taken = await counters.take(counted)
      if (taken.allowed) return { allowed: true, forgive: () => counters.giveBack(counted) }
      return { allowed: false, retryAt: new Date(clock().getTime() + taken.waitMs) }
    },
  }
}
