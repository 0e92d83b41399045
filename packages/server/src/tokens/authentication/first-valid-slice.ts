/**
 * A client can present several slices, including macaroons of other services, and the first valid one is
 * used. Those of other services are recognised by their identifiers. Only a few of ours are examined, because
 * each costs signatures, comparisons of patterns and look-ups.
 */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { RequestError, unauthorized } from '../../errors.ts'
import type { Keyring, MacaroonKind, ResolvedId } from '../../keyring/keyring.ts'

export type Presented = readonly [UnverifiedSlice, ...UnverifiedSlice[]]

/** The claims of a slice's first macaroon, which only `verifySession` proves. */
export interface UnverifiedMacaroon<Kind extends MacaroonKind = 'token' | 'token-root'> extends ResolvedId {
  readonly kind: Kind
}

/** Clients have at most a root with its discharge, and a token, of one or two logins. */
const MOST_EXAMINED = 4

/** The kinds of macaroons that an endpoint accepts, and advice for clients that present another. */
export interface Taken<Kind extends MacaroonKind> {
  readonly kinds: readonly Kind[]
  readonly advice: string
}

export const DEVELOPER_TOKENS: Taken<'token' | 'token-root'> = {
  kinds: ['token', 'token-root'],
  advice: 'Log in to get a developer token.',
}

/**
 * Returns the result of the first `attempt` that is not refused, among the first {@link MOST_EXAMINED} slices of the
 * accepted kinds. If all are refused, throws the refusal of the first slice, even if that is another service's.
 */
export async function firstValidSlice<Kind extends MacaroonKind, T>(
  presented: Presented,
  { keyring, taken }: { readonly keyring: Pick<Keyring, 'resolve'>; readonly taken: Taken<Kind> },
  attempt: (slice: UnverifiedSlice, macaroon: UnverifiedMacaroon<Kind>) => Promise<T>,
): Promise<T> {
  const since = performance.now()
  let refusal: RequestError | undefined
  let examined = 0
  for (const slice of presented) {
    const resolved = await keyring.resolve(slice[0].id, since)
    const kind = taken.kinds.find((one) => one === resolved?.kind)
    if (!resolved || kind === undefined) {
      refusal ??= resolved ? otherKind(resolved, taken) : notOurs()
      continue
    }
    if (++examined > MOST_EXAMINED) break
    try {
      return await attempt(slice, { ...resolved, kind })
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? notOurs()
}

const notOurs = (): RequestError =>
  unauthorized('The macaroon was not issued by this service. Log in to this one.')

const otherKind = ({ kind }: ResolvedId, { advice }: Taken<MacaroonKind>): RequestError =>
  unauthorized(`The macaroon is ${KINDS[kind]}, which this endpoint doesn't accept. ${advice}`)

/** The names of the kinds in messages. */
const KINDS: Readonly<Record<MacaroonKind, string>> = {
  token: 'a developer token',
  'token-root': 'the root of a developer token',
  'agent-login': "an agent's login",
  'device-session': 'a device session',
  'management-token': 'a management token',
  'management-root': 'the root of a management token',
}
