/** Who is asking, and with which limits: for every request that needs a token. */
import type { Attenuations } from '@ratafia/macaroon/conditions'
import type { Account } from '../accounts/account.ts'
import type { RequestError } from '../errors.ts'
import { firstThatHolds, type Presented } from './first-valid-slice.ts'
import { type VerifyDependencies, verifyPresented } from './verify-presented.ts'

export interface Authentication {
  readonly account: Account
  /** The intersection of every limit on the token. */
  readonly attenuations: Attenuations
  readonly expires: Date
}

/** Of what was presented, a token or a root with its discharge, the first that holds. Throws {@link RequestError}. */
export function authenticate(presented: Presented, deps: VerifyDependencies): Promise<Authentication> {
  return firstThatHolds(presented, async (slice) => {
    const { account, cleared } = await verifyPresented(slice, deps)
    return { account, attenuations: cleared.attenuations, expires: cleared.expires }
  })
}
