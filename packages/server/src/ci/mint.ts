/** Mints the credential that a job gets for its session (contract/oidc.md, A13). */
import { type AccountId, type SessionId, TOKEN_TYPES } from '@ratafia/api'
import { bindDischarge, encodeBase64Url, encodeBinary, type Macaroon } from '@ratafia/macaroon'
import { asOnprem, asSnapcraft } from '../credential-forms.ts'
import type { TokenDependencies } from '../tokens/dependencies.ts'
import { mintPair as mintPairOf } from '../tokens/dialects/password-root.ts'
import { mintToken, subjectOf } from '../tokens/root-macaroon.ts'
import type { IssuedType } from './exchange-request.ts'

export interface JobSession {
  readonly id: SessionId
  readonly since: Date
  readonly until: Date
  readonly account: { readonly id: AccountId; readonly username: string }
}

export interface Minted {
  /** The value that follows `Macaroon ` in `Authorization`. */
  readonly accessToken: string
  /** The value for SNAPCRAFT_STORE_CREDENTIALS. */
  readonly credentials: string
}

export interface MintDeps extends Pick<TokenDependencies, 'keyring' | 'identity' | 'location' | 'clock'> {
  /** This installation's own third party, even with an external identity service: only it can discharge these roots. */
  readonly ownThirdParty: TokenDependencies['thirdParty']
}

/** @param extra the caveat with all limits */
export const mintCredential = (
  type: IssuedType,
  session: JobSession,
  extra: string,
  deps: MintDeps,
): Promise<Minted> =>
  type === TOKEN_TYPES.pair ? mintPair(session, extra, deps) : mintPlain(session, extra, deps)

async function mintPlain(session: JobSession, extra: string, deps: MintDeps): Promise<Minted> {
  const { keyring, identity, location, clock } = deps
  const token = mintToken(
    {
      ...(await keyring.mintId('token')),
      ...{ location, expires: session.until, since: clock(), sessionId: session.id, extra },
    },
    { key: identity.key, value: subjectOf(session.account, identity) },
  )
  const text = encoded(token)
  return { accessToken: text, credentials: asOnprem({ token: text }) }
}

/** Root and discharge expire with the session, as in an export (contract/publisher-login.md, decision 24). */
async function mintPair(session: JobSession, extra: string, deps: MintDeps): Promise<Minted> {
  const { identity, ownThirdParty: thirdParty } = deps
  const { until: expires, id: sessionId, account } = session
  const { root, discharge } = await mintPairOf(
    { sessionId, since: deps.clock(), expires, extra, subject: subjectOf(account, identity) },
    { ...deps, thirdParty },
  )
  return {
    accessToken: `root=${encoded(root)}, discharge=${encoded(bindDischarge(root, discharge))}`,
    credentials: asSnapcraft({ root: encoded(root), discharge: encoded(discharge) }),
  }
}

const encoded = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))
