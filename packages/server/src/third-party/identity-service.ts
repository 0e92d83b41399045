/**
 * The identity service as a third party: all that is needed to seal a caveat to it (contract/bakery.md 3.1, 7.12).
 */
import type { Keyring } from '../keyring/keyring.ts'

export interface ThirdParty {
  /** Where clients discharge, without a trailing slash. */
  readonly location: string
  /** X25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The newest bakery version whose caveat ids it opens. */
  readonly version: 1 | 2 | 3
  /** Whether the condition may carry a summary of the request: only our own identity service understands one. */
  readonly acceptsSummary: boolean
  /** Whether it can be believed when it declares how somebody signed in (`signed-in.ts`). */
  readonly declaresSignIn: boolean
  /** Whether programs may log in there with a password. */
  readonly passwordLogins: boolean
  /** The host, with its port, as clients write it when they log in with a password. */
  readonly loginHost: string
}

/** Called for every new root macaroon. Throws `Unavailable` when the key is not available. */
export type IdentityService = () => Promise<ThirdParty>

/** What is the same for every identity service: the operator's settings. */
export interface PasswordLogins {
  readonly passwordLogins: boolean
  /** Default: the host of the identity service. */
  readonly loginHost: string | undefined
}

/** The bundled identity service, with its newest key from the keyring. */
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

/** `https://id.example.org/` and `https://id.example.org` are the same service. */
export const withoutSlash = (location: string): string => location.replace(/\/+$/, '')
