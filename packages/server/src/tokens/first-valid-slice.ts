/** A client may present several slices (other services' macaroons among them): the first that holds counts. */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError } from '../errors.ts'

export type Presented = readonly [UnverifiedSlice, ...UnverifiedSlice[]]

/** What `attempt` makes of the first slice it does not refuse. Throws the refusal of the first when it refuses all. */
export async function firstThatHolds<T>(
  [first, ...others]: Presented,
  attempt: (slice: UnverifiedSlice) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(first)
  } catch (refusal) {
    if (!(refusal instanceof RequestError)) throw refusal
    for (const slice of others) {
      try {
        return await attempt(slice)
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
      }
    }
    throw refusal
  }
}
