import { encodeBase64Url } from '../base64.ts'
import type { Macaroon } from '../macaroon.ts'
import { type MintInput, mint } from '../mint.ts'
import type { BakeryVersion } from './caveat-id/caveat-id.ts'
import { type Namespace, STANDARD_NAMESPACE } from './namespace.ts'

/** A macaroon that is not discharged yet, with what is needed to discharge it. */
export interface BakeryMacaroon {
  readonly macaroon: Macaroon
  /** 1: the macaroon is version 1. 2: version 2. 3: version 2, and payloads of caveats are kept apart. */
  readonly version: BakeryVersion
  readonly namespace: Namespace
  /** Payloads of third-party caveats with short ids, by id in URL-safe base64. Empty below version 3. */
  readonly caveatData: ReadonlyMap<string, Uint8Array>
}

export interface BakeryMintInput extends Omit<MintInput, 'version'> {
  /** The newest version the client understands. */
  readonly version: BakeryVersion
  /** Default `std:`. */
  readonly namespace?: Namespace
}

/** Makes a bakery macaroon without caveats. Throws `TypeError` as `mint` does. */
export function mintBakeryMacaroon(input: BakeryMintInput): BakeryMacaroon {
  const { version, namespace = STANDARD_NAMESPACE, ...rest } = input
  return {
    macaroon: mint({ ...rest, version: version === 1 ? 1 : 2 }),
    version,
    namespace,
    caveatData: new Map(),
  }
}

/** The payload of a third-party caveat, to be sent along with its id; undefined when the id contains it. */
export function caveatPayload({ caveatData }: BakeryMacaroon, caveatId: Uint8Array): Uint8Array | undefined {
  return caveatData.get(encodeBase64Url(caveatId))
}
