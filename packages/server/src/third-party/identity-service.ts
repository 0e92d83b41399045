/**
 * The identity service as a third party: everything needed to seal a caveat to it (contract/bakery.md 3.1,
 * 7.12).
 */
import type { Keyring } from '../keyring/keyring.ts'

export interface ThirdParty {
  /** The URL where clients discharge, without a trailing slash. */
  readonly location: string
  /** The X25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The newest bakery version whose caveat ids it opens. */
  readonly version: 1 | 2 | 3
  /** Whether the condition can contain a summary of the request, which only Ratafia's identity service understands. */
  readonly acceptsSummary: boolean
  /** Whether its declaration of how the user signed in can be trusted (`signed-in.ts`). */
  readonly declaresSignIn: boolean
  /** Whether programs may log in there with a password. */
  readonly passwordLogins: boolean
  /** The host, with its port, as clients write it when they log in with a password. */
  readonly loginHost: string
}

/** Returns the third party; called for every new root macaroon. Throws `Unavailable` if the key is not available. */
export type IdentityService = () => Promise<ThirdParty>

/** The operator's settings, which are the same for every identity service. */
export interface PasswordLogins {
  readonly passwordLogins: boolean
  /** Default: the host of the identity service. */
  readonly loginHost: string | undefined
}

/** Returns the bundled identity service, with its newest key from the keyring. */
export function bundledIdentity(
  keyring: Keyring,
  location: string,
  { passwordLogins, loginHost = new URL(location).host }: PasswordLogins,
): IdentityService {
  return async () => {
    const [newest] = await keyring.dischargerKeyPairs()
    const { publicKey } = newest
    return {
      ...{
        location: withoutSlash(location),
        publicKey,
        version: 3,
        acceptsSummary: true,
        declaresSignIn: true,
      },
      ...{ passwordLogins, loginHost },
    }
  }
}

/** Removes trailing slashes, because `https://id.example.org/` and `https://id.example.org` are the same service. */
export const withoutSlash = (location: string): string => location.replace(/\/+$/, '')
