/** A restriction on a macaroon. It is a third-party caveat if and only if it has a `verificationId`. */
export interface Caveat {
  /** First party: the condition, as UTF-8. Third party: what the third party needs to know, opaque to all others. */
  readonly id: Uint8Array
  /** Third party: where to get it discharged. Not signed: never trust it. Empty for a first-party caveat. */
  readonly location: string
  /** Third party: nonce (24 bytes) and the encrypted key of the discharge. Never empty. */
  readonly verificationId: Uint8Array | undefined
}

/** A macaroon as it was read or made. That it was read says nothing about who made it: see `verify`. */
export interface Macaroon {
  /** The format it was read from, or is written in. Signatures do not depend on it. */
  readonly version: 1 | 2
  /** Where it is meant to be used. Not signed: never trust it. */
  readonly location: string
  readonly id: Uint8Array
  readonly caveats: readonly Caveat[]
  /** 32 bytes. Whoever has it can add caveats: treat it as a secret. */
  readonly signature: Uint8Array
}

/** A root macaroon and its discharges, the discharges already bound to the root (see `bindDischarge`). */
export type UnverifiedSlice = readonly [root: Macaroon, ...discharges: Macaroon[]]
