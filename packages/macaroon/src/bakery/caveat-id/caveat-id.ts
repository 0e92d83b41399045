import type { KeyPair } from '../key-pair.ts'
import type { Namespace } from '../namespace.ts'

/**
 * The version of the bakery protocol: 1 is JSON in base64, 2 is binary, 3 is binary and separate from the caveat id.
 */
export type BakeryVersion = 1 | 2 | 3

export const NONCE_BYTES = 24

/** The maximum size of a caveat id or payload in bytes; larger ones are refused before anything is decoded. */
export const MAX_PAYLOAD_BYTES = 16 * 1024
export const MAX_CONDITION_BYTES = 4 * 1024

export interface CaveatIdInput {
  readonly version: BakeryVersion
  /** The condition that the third party is asked to check. */
  readonly condition: string
  /** The root key of the discharge, which only the two parties know; usually 24 random bytes. */
  readonly rootKey: Uint8Array
  /** The macaroon's namespace, `std:` by default. Only version 3 seals it. */
  readonly namespace?: Namespace
  readonly thirdPartyPublicKey: Uint8Array
  readonly firstParty: KeyPair
  /** 24 bytes, random by default. Pass it only to reproduce a known caveat. */
  readonly nonce?: Uint8Array
}

/** The content of a caveat, for the third party it is sealed to. */
export interface DecodedCaveatId {
  readonly version: BakeryVersion
  readonly condition: string
  readonly rootKey: Uint8Array
  /** The sender's key: a label, not an authorisation, because anyone can seal a caveat with any key pair. */
  readonly firstPartyPublicKey: Uint8Array
  readonly namespace: Namespace
  /** The given key pair that opened it. */
  readonly keyPair: KeyPair
}
