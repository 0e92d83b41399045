import { encodeBase64Url } from '../base64.ts'
import type { Macaroon } from '../macaroon.ts'
import { type MintInput, mint } from '../mint.ts'
import type { BakeryVersion } from './caveat-id/caveat-id.ts'
import { type Namespace, STANDARD_NAMESPACE } from './namespace.ts'

/** A macaroon that is not discharged yet, with the payloads that its discharge needs. */
export interface BakeryMacaroon {
  readonly macaroon: Macaroon
  /**
   * The bakery version. In 1, the macaroon is version 1; in 2 and 3, version 2. In 3, caveats' payloads are separate.
   */
  readonly version: BakeryVersion
  readonly namespace: Namespace
  /** The payloads of third-party caveats with short ids, by id in URL-safe base64. Empty below version 3. */
  readonly caveatData: ReadonlyMap<string, Uint8Array>
}

export interface BakeryMintInput extends Omit<MintInput, 'version'> {
  /** The newest version that the client understands. */
  readonly version: BakeryVersion
  /** The namespace; `std:` by default. */
  readonly namespace?: Namespace
}

/** Mints a bakery macaroon without caveats. Throws the `TypeError`s of `mint`. */
export function mintBakeryMacaroon(input: BakeryMintInput): BakeryMacaroon {
  const { version, namespace = STANDARD_NAMESPACE, ...rest } = input
  return {
    macaroon: mint({ ...rest, version: version === 1 ? 1 : 2 }),
    version,
    namespace,
    caveatData: new Map(),
  }
}

/** Returns a third-party caveat's payload, to send with its id; undefined if the id contains the payload. */
export function caveatPayload({ caveatData }: BakeryMacaroon, caveatId: Uint8Array): Uint8Array | undefined {
  return caveatData.get(encodeBase64Url(caveatId))
}
