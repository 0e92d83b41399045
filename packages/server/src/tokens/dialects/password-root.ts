/**
 * Mints the root of a password login. It has version 1, and its identifier and caveat id are text, because
 * the clients of this dialect read nothing else (contract/publisher-login.md, decisions 6 and 7). Its caveats
 * are those of any root.
 */
import type { SessionId } from '@ratafia/api'
import type { Macaroon } from '@ratafia/macaroon'
import { encodeCaveatId } from '@ratafia/macaroon/bakery'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import { randomId } from '../../random.ts'
import { mintDischarge } from '../../third-party/discharge-macaroon.ts'
import { formatLoginCaveat } from '../../third-party/login-caveat.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { mintRoot, rootPayload } from '../root-macaroon.ts'

interface PasswordRootInput {
  readonly since: Date
  readonly expires: Date
  readonly sessionId: SessionId
  /** The caveat that `extraCaveat` returned. */
  readonly extra: string
  readonly description: string | undefined
  readonly caveatLocation: string
  /** The limits in `extra`, for the record of the session that the discharge opens. Absent if it is already open. */
  readonly limits?: Attenuations
}

interface PasswordRoot {
  readonly root: Macaroon
  /** The third-party caveat's id; `caveatRootKey` is the root key of its discharge. */
  readonly caveatId: Uint8Array
  readonly caveatRootKey: Uint8Array
}

export async function mintPasswordRoot(
  { since, expires, sessionId, extra, description, caveatLocation, limits }: PasswordRootInput,
  {
    keyring,
    identity,
    location,
    thirdParty,
  }: Pick<TokenDependencies, 'keyring' | 'identity' | 'location' | 'thirdParty'>,
): Promise<PasswordRoot> {
  const caveatRootKey = randomId(24)
  const caveatId = encodeCaveatId({
    version: 1,
    condition: formatLoginCaveat({
      location: caveatLocation,
      declare: identity.key,
      session: sessionId,
      since,
      until: expires,
      description,
      limits,
    }),
    rootKey: caveatRootKey,
    thirdPartyPublicKey: (await thirdParty()).publicKey,
    firstParty: await keyring.sealingKeyPair(),
    nonce: randomId(24),
  })
  const minted = await keyring.mintId('token-root', rootPayload(identity, description))
  const root = mintRoot(
    { ...minted, location, expires, since, sessionId, extra, version: 1 },
    { location: caveatLocation, caveatId, caveatRootKey },
  )
  return { root, caveatId, caveatRootKey }
}

interface PairInput {
  readonly sessionId: SessionId
  readonly since: Date
  readonly expires: Date
  /** The caveat that `extraCaveat` returned. */
  readonly extra: string
  /** The person's identity, as the identity service would declare it. */
  readonly subject: string
}

/**
 * Mints a root macaroon and its discharge, not bound to it, for an open session (contract/publisher-login.md, decision
 * 24). Both expire with the session: a shorter discharge would cost every command two more requests, and session and
 * account are checked at each use anyway.
 */
export async function mintPair(
  { sessionId, since, expires, extra, subject }: PairInput,
  deps: Pick<TokenDependencies, 'keyring' | 'identity' | 'location' | 'thirdParty'>,
): Promise<{ readonly root: Macaroon; readonly discharge: Macaroon }> {
  const { loginHost: caveatLocation } = await deps.thirdParty()
  const { root, caveatId, caveatRootKey } = await mintPasswordRoot(
    { since, expires, sessionId, extra, description: undefined, caveatLocation },
    deps,
  )
  const discharge = mintDischarge({
    rootKey: caveatRootKey,
    id: caveatId,
    location: caveatLocation,
    declared: { key: deps.identity.key, value: subject },
    expires,
    givenAt: since,
  })
  return { root, discharge }
}
