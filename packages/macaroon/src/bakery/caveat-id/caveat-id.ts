import type { KeyPair } from '../key-pair.ts'
import type { Namespace } from '../namespace.ts'

/** Versions of the bakery protocol: 1 is JSON in base64, 2 is binary, 3 is binary apart from the caveat id. */
export type BakeryVersion = 1 | 2 | 3

export const NONCE_BYTES = 24

/** Larger ones are refused before anything is decoded. */
export const MAX_PAYLOAD_BYTES = 16 * 1024
export const MAX_CONDITION_BYTES = 4 * 1024

export interface CaveatIdInput {
  readonly version: BakeryVersion
  /** What the third party is asked to check. */
  readonly condition: string
  /** The root key of the discharge, known to the two parties. Random, 24 bytes as a rule. */
  readonly rootKey: Uint8Array
  /** Of the macaroon the caveat is in; sealed in version 3 only. Default `std:`. */
  readonly namespace?: Namespace
  readonly thirdPartyPublicKey: Uint8Array
  readonly firstParty: KeyPair
  /** 24 bytes. Default random; given only to reproduce a known caveat. */
  readonly nonce?: Uint8Array
}

/** What a third party finds in a caveat sealed to it. */
export interface DecodedCaveatId {
  readonly version: BakeryVersion
  readonly condition: string
  readonly rootKey: Uint8Array
  /** A label, not an authorisation: anyone can seal a caveat, with any key pair. */
  readonly firstPartyPublicKey: Uint8Array
  readonly namespace: Namespace
  /** The one of the given key pairs that opened it. */
  readonly keyPair: KeyPair
}
