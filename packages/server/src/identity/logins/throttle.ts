/**
 * Slows down the guessing of passwords and codes: counts failures per account name, and per network that attempts come
 * from. It counts a name as typed, whether or not there is such an account, so it reveals nothing about that. The e-mail
 * address of an account counts as its username. Browsers and programs share these counts.
 *
 * From where somebody has signed in before, their name has a count of its own: strangers cannot use it up.
 */
import { networksOf } from '../../address.ts'
import type { Clock } from '../../clock.ts'
import type { Counted, Counters, Rule, Taken } from '../../counters.ts'
import type { SignInAttempt } from './signed-in-before.ts'

export interface ThrottleOptions {
  readonly clock: Clock
  readonly counters: Counters
  /** Asked only about a name whose count is used up. Default: nobody has. */
  readonly signedInBefore?: (attempt: SignInAttempt) => Promise<boolean>
  readonly perAccount?: Rule
  /** By width, narrowest first. */
  readonly perNetwork?: readonly Rule[]
}

export interface Throttle {
  /**
   * Counts an attempt before it is made, so that a hundred at once are counted too. If it is not allowed, `retryAt`
   * says when the next one is. `forgive` takes back an attempt that succeeded or could not be checked.
   */
  attempt(who: SignInAttempt): Promise<Attempt>
}

export type Attempt =
  | { readonly allowed: true; readonly forgive: () => void }
  | { readonly allowed: false; readonly retryAt: Date }

const PER_ACCOUNT: Rule = { name: 'sign-in/account', burst: 10, interval: 60_000 }
/** More than per account: an office shares one address. Twice as many for each wider network. */
const PER_NETWORK: readonly Rule[] = [
  { name: 'sign-in/address', burst: 30, interval: 20_000 },
  { name: 'sign-in/network', burst: 60, interval: 10_000 },
  { name: 'sign-in/provider', burst: 120, interval: 5_000 },
]

export function createThrottle(options: ThrottleOptions): Throttle {
  const { clock, counters, perAccount = PER_ACCOUNT, perNetwork = PER_NETWORK } = options
  const { signedInBefore = async () => false } = options
  const perKnown: Rule = { ...perAccount, name: `${perAccount.name}/known` }

  /** Takes from the count of the name: of all, or of those from here if they have one. */
  const takeName = async (who: SignInAttempt): Promise<{ readonly taken: Taken; readonly from: Counted }> => {
    const name = who.username.slice(0, 64)
    const ofAll = { rule: perAccount, key: name }
    const taken = await counters.take([ofAll])
    if (taken.allowed || !(await signedInBefore(who))) return { taken, from: ofAll }
    const ofThese = { rule: perKnown, key: `${networksOf(who.address)[0]} ${name}` }
    return { taken: await counters.take([ofThese]), from: ofThese }
  }

  return {
    attempt: async (who) => {
      const later = (waitMs: number) => new Date(clock().getTime() + waitMs)
      const networks = networksOf(who.address)
      const ofNetworks = perNetwork.map((rule, width) => ({ rule, key: networks[width] ?? '' }))
      const network = await counters.take(ofNetworks)
      if (!network.allowed) return { allowed: false, retryAt: later(network.waitMs) }
      const { taken, from } = await takeName(who).catch((error: unknown) => {
        counters.giveBack(ofNetworks)
        throw error
      })
      if (taken.allowed) return { allowed: true, forgive: () => counters.giveBack([...ofNetworks, from]) }
      // A refused attempt does not count.
      counters.giveBack(ofNetworks)
      return { allowed: false, retryAt: later(taken.waitMs) }
    },
  }
}
