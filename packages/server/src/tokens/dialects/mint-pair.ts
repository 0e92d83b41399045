/**
 * Mints a root macaroon and its discharge for an open session (contract/publisher-login.md, decision 24).
 * Both expire with the session: a shorter discharge would cost every command two more requests, and session
 * and account are checked at each use anyway.
 */
import type { SessionId } from '@ratafia/api'
import type { Macaroon } from '@ratafia/macaroon'
import { mintDischarge } from '../../third-party/discharge-macaroon.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { mintPasswordRoot } from './password-root.ts'

interface PairInput {
  readonly sessionId: SessionId
  readonly since: Date
  readonly expires: Date
  /** The caveat that `extraCaveat` returned. */
  readonly extra: string
  /** The person's identity, as the identity service would declare it. */
  readonly subject: string
}

export interface MintedPair {
  readonly root: Macaroon
  /** The discharge, which is not bound to the root. */
  readonly discharge: Macaroon
}

export async function mintPair(
  { sessionId, since, expires, extra, subject }: PairInput,
  deps: Pick<TokenDependencies, 'keyring' | 'identity' | 'location' | 'thirdParty'>,
): Promise<MintedPair> {
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
