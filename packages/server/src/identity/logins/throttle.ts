/**
 * Slows down the guessing of passwords and codes by counting failures per name and per network.
 *
 * A name is counted as typed, without looking for an account. So failures with an e-mail address do not block
 * the username, which would confirm that both exist and belong together. An account with both allows twice as
 * many guesses. Codes are counted by account, because only callers who know the password can guess them.
 * Browsers and programs share these counts.
 *
 * Attempts from a network where the user has signed in before are counted separately, so strangers cannot
 * lock the user out.
 *
 * A setup link belongs to no name, so only its networks are counted.
 */
import { networksOf } from '../../addresses/address.ts'
import type { Clock } from '../../clock.ts'
import type { Counted, Counters, Rule, Taken } from '../../limits/counters.ts'
import type { SignInAttempt } from './signed-in-before.ts'

export interface ThrottleOptions {
  readonly clock: Clock
  readonly counters: Counters
  /** Called only for a name whose count is used up. Default: no user has. */
  readonly signedInBefore?: (attempt: SignInAttempt) => Promise<boolean>
  readonly perName?: Rule
  /** The rules by the width of the network, narrowest first. */
  readonly perNetwork?: readonly Rule[]
}

export interface Throttle {
  /**
   * Counts an attempt before it is made, so that simultaneous attempts also count. If it is not allowed, `retryAt` is
   * the time of the next allowed one. `forgive` takes back an attempt that succeeded or could not be checked.
   */
  attempt(who: SignInAttempt | LinkAttempt): Promise<Attempt>
}

type LinkAttempt = Pick<SignInAttempt, 'address'> & { readonly name?: undefined }

type Attempt =
  | { readonly allowed: true; readonly forgive: () => void }
  | { readonly allowed: false; readonly retryAt: Date }

const PER_NAME: Rule = { name: 'sign-in/name', burst: 10, interval: 60_000 }
/** Higher limits than per name, because an office shares one address, and doubled for each wider network. */
const PER_NETWORK: readonly Rule[] = [
  { name: 'sign-in/address', burst: 30, interval: 20_000 },
  { name: 'sign-in/network', burst: 60, interval: 10_000 },
  { name: 'sign-in/provider', burst: 120, interval: 5_000 },
]

export function createThrottle(options: ThrottleOptions): Throttle {
  const { clock, counters, perName = PER_NAME, perNetwork = PER_NETWORK } = options
  const { signedInBefore = async () => false } = options
  const perCodes: Rule = { ...perName, name: `${perName.name}/codes` }
  const perKnown: Rule = { ...perName, name: `${perName.name}/known` }
  const perKnownCodes: Rule = { ...perName, name: `${perName.name}/known-codes` }

  /**
   * Takes from the count of all networks, or else from the separate count of a network where the user has signed in.
   */
  const takeName = async (who: SignInAttempt): Promise<{ readonly taken: Taken; readonly from: Counted }> => {
    const key = who.codesOf ?? who.name.slice(0, 64)
    const ofAll = { rule: who.codesOf ? perCodes : perName, key }
    const taken = await counters.take([ofAll])
    if (taken.allowed || !(await signedInBefore(who))) return { taken, from: ofAll }
    const rule = who.codesOf ? perKnownCodes : perKnown
    const ofThese = { rule, key: `${networksOf(who.address)[0]} ${key}` }
    return { taken: await counters.take([ofThese]), from: ofThese }
  }

  return {
    attempt: async (who) => {
      const later = (waitMs: number) => new Date(clock().getTime() + waitMs)
      const networks = networksOf(who.address)
      const ofNetworks = perNetwork.map((rule, width) => ({ rule, key: networks[width] ?? '' }))
      const network = await counters.take(ofNetworks)
      if (!network.allowed) return { allowed: false, retryAt: later(network.waitMs) }
      if (who.name === undefined) return { allowed: true, forgive: () => counters.giveBack(ofNetworks) }
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

export interface Throttled {
  readonly verdict: 'throttled'
  readonly retryAt: Date
}

/** Returns the result of `attempt`, or that too many failed before. An attempt that throws does not count. */
export async function countFailures<T extends { readonly verdict: string }>(
  who: Parameters<Throttle['attempt']>[0],
  throttle: Throttle,
  attempt: () => Promise<T>,
): Promise<T | Throttled> {
  const counted = await throttle.attempt(who)
  if (!counted.allowed) return { verdict: 'throttled', retryAt: counted.retryAt }
  try {
    const result = await attempt()
    if (result.verdict !== 'wrong' && result.verdict !== 'code-wrong') counted.forgive()
    return result
  } catch (error) {
    counted.forgive()
    throw error
  }
}
