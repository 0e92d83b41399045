/**
 * A client may present several slices, macaroons of other services among them: the first valid one counts. Those of
 * other services are recognised by their identifiers; of ours, a few are examined, because each costs signatures,
 * comparisons of patterns and look-ups.
 */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError, unauthorized } from '../../errors.ts'
import type { Keyring, ResolvedId } from '../../keyring/keyring.ts'

export type Presented = readonly [UnverifiedSlice, ...UnverifiedSlice[]]

/** What the slice's first macaroon claims to be; only `verifyLogin` proves it. */
export interface UnverifiedMacaroon extends ResolvedId {
  readonly kind: 'token' | 'token-root'
}

/** A client has at most a root with its discharge, and a token, of a login or two. */
export const MOST_EXAMINED = 4

/**
 * The result of the first `attempt` that is not refused, among the first {@link MOST_EXAMINED} slices of this service.
 * If all are refused, throws the first refusal: of the first slice, whichever service it is of.
 */
export async function firstValidSlice<T>(
  presented: Presented,
  keyring: Pick<Keyring, 'resolve'>,
  attempt: (slice: UnverifiedSlice, macaroon: UnverifiedMacaroon) => Promise<T>,
): Promise<T> {
  const since = performance.now()
  let refusal: RequestError | undefined
  let examined = 0
  for (const slice of presented) {
    const macaroon = ours(await keyring.resolve(slice[0].id, since))
    if (!macaroon) {
      refusal ??= notOurs()
      continue
    }
    if (++examined > MOST_EXAMINED) break
    try {
      return await attempt(slice, macaroon)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? notOurs()
}

function ours(resolved: ResolvedId | undefined): UnverifiedMacaroon | undefined {
  const { kind } = resolved ?? {}
  return resolved && (kind === 'token' || kind === 'token-root') ? { ...resolved, kind } : undefined
}

const notOurs = (): RequestError =>
  unauthorized('The macaroon was not issued by this service. Log in to this one.')
