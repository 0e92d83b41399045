/** A client may present several slices, macaroons of other services among them: the first valid one counts. */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError } from '../errors.ts'

export type Presented = readonly [UnverifiedSlice, ...UnverifiedSlice[]]

/** The result of the first `attempt` that is not refused. If all are refused, throws the first refusal. */
export async function firstValidSlice<T>(
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
