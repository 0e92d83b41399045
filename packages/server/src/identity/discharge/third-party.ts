/**
 * The identity service as a third party: all that is needed to seal a caveat to it (contract/bakery.md 3.1, 7.12).
 */
import type { Keyring } from '../../keyring/keyring.ts'

export interface ThirdParty {
  /** Where clients discharge, without a trailing slash. */
  readonly location: string
  /** X25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The newest bakery version whose caveat ids it opens. */
  readonly version: 1 | 2 | 3
  /** Whether the condition may carry a summary of the request: only our own identity service understands one. */
  readonly acceptsSummary: boolean
}

/** Called for every new root macaroon. Throws `Unavailable` when the key is not available. */
export type IdentityService = () => Promise<ThirdParty>

/** The bundled identity service, with its newest key from the keyring. */
export function bundledIdentity(keyring: Keyring, location: string): IdentityService {
  return async () => {
    const [newest] = await keyring.dischargerKeyPairs()
    return { location: withoutSlash(location), publicKey: newest.publicKey, version: 3, acceptsSummary: true }
  }
}

/** `https://id.example.org/` and `https://id.example.org` are the same service. */
export const withoutSlash = (location: string): string => location.replace(/\/+$/, '')
