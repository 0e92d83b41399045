/** Who is asking, and with which limits: for every request that needs a token. */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import type { Account } from '../accounts/account.ts'
import { RequestError } from '../errors.ts'
import { type VerifyDependencies, verifyPresented } from './verify-presented.ts'

export interface Authentication {
  readonly account: Account
  /** The intersection of every limit on the token. */
  readonly attenuations: Attenuations
  readonly expires: Date
}

/**
 * Takes what was presented, a token or a root with its discharge, and answers with the first that holds.
 * Throws the {@link RequestError} of the first when none does.
 */
export async function authenticate(
  presented: readonly [UnverifiedSlice, ...UnverifiedSlice[]],
  deps: VerifyDependencies,
): Promise<Authentication> {
  let refusal: RequestError | undefined
  for (const slice of presented) {
    try {
      const { account, cleared } = await verifyPresented(slice, deps)
      return { account, attenuations: cleared.attenuations, expires: cleared.expires }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? new TypeError('authenticate needs at least one slice')
}
