import { randomBytes } from 'node:crypto'
import { addThirdPartyCaveat } from '../add-third-party-caveat.ts'
import { encodeBase64Url } from '../base64.ts'
import { varint } from '../formats/varint.ts'
import type { BakeryMacaroon } from './bakery-macaroon.ts'
import { type BakeryVersion, NONCE_BYTES } from './caveat-id/caveat-id.ts'
import { encodeCaveatId } from './caveat-id/encode-caveat-id.ts'
import type { KeyPair } from './key-pair.ts'

/** A third party, as described by its `/discharge/info`. */
export interface ThirdPartyInfo {
  /** An absolute URL, or `local` for a caveat that the client itself discharges with its key. */
  readonly location: string
  readonly publicKey: Uint8Array
  /** The newest version that the third party understands. */
  readonly version: BakeryVersion
}

export interface BakeryCaveatInput {
  readonly condition: string
  readonly thirdParty: ThirdPartyInfo
  readonly firstParty: KeyPair
  /** The root key of the discharge; 24 random bytes by default. */
  readonly rootKey?: Uint8Array
  /** Returns that many secret random bytes, for the root key and two nonces. Node's `randomBytes` by default. */
  readonly random?: (length: number) => Uint8Array
  /** The id of the discharge, if a discharger adds caveats to one; keeps short ids distinct. */
  readonly idPrefix?: Uint8Array
}

/**
 * Returns a copy of the bakery macaroon that needs a discharge from `thirdParty`. The caveat is sealed to the third
 * party in the newest version that both understand. Throws the `TypeError`s of `encodeCaveatId` and
 * `addThirdPartyCaveat`.
 */
export function addBakeryCaveat(macaroon: BakeryMacaroon, input: BakeryCaveatInput): BakeryMacaroon {
  const { condition, thirdParty, firstParty, random = randomBytes, rootKey = random(24) } = input
  const version = Math.min(macaroon.version, thirdParty.version) as BakeryVersion
  const payload = encodeCaveatId({
    version,
    condition,
    rootKey,
    namespace: macaroon.namespace,
    thirdPartyPublicKey: thirdParty.publicKey,
    firstParty,
    nonce: random(NONCE_BYTES),
  })
  const id = version === 3 ? shortId(macaroon, input.idPrefix) : payload
  const caveatData =
    version === 3 ? new Map(macaroon.caveatData).set(encodeBase64Url(id), payload) : macaroon.caveatData
  const { location } = thirdParty
  return {
    ...macaroon,
    macaroon: addThirdPartyCaveat(macaroon.macaroon, { rootKey, id, location, nonce: random(NONCE_BYTES) }),
    caveatData,
  }
}

/** Returns the prefix with a number that no caveat of this macaroon has yet. */
function shortId({ macaroon, caveatData }: BakeryMacaroon, prefix: Uint8Array = Buffer.of(3)): Uint8Array {
  for (let n = caveatData.size; ; n++) {
    const id = Buffer.concat([prefix, varint(n)])
    if (!macaroon.caveats.some((caveat) => id.equals(caveat.id))) return id
  }
}
