/** A restriction of a macaroon. It is a third-party caveat if and only if it has a `verificationId`. */
export interface Caveat {
  /** The condition of a first-party caveat, in UTF-8, or the third party's data, which is opaque to all others. */
  readonly id: Uint8Array
  /** The third party's location; empty for a first-party caveat. It is not signed, so never trust it. */
  readonly location: string
  /** A third-party caveat's nonce (24 bytes) and the encrypted key of the discharge; never empty. */
  readonly verificationId: Uint8Array | undefined
}

/** A macaroon that was read or minted. Reading it does not check who minted it; `verify` does. */
export interface Macaroon {
  /** The format in which it was read or will be written. Signatures do not depend on it. */
  readonly version: 1 | 2
  /** The service that it is meant for. It is not signed, so never trust it. */
  readonly location: string
  readonly id: Uint8Array
  readonly caveats: readonly Caveat[]
  /** 32 bytes, to treat as a secret: with the signature, anyone can add caveats and use the macaroon. */
  readonly signature: Uint8Array
}

/** A root macaroon and its discharges, which are already bound to it (see `bindDischarge`). */
export type UnverifiedSlice = readonly [root: Macaroon, ...discharges: Macaroon[]]
