export { addBakeryCaveat, type BakeryCaveatInput, type ThirdPartyInfo } from './add-bakery-caveat.ts'
export {
  type BakeryMacaroonJson,
  type BakeryMacaroonJson3,
  decodeBakeryMacaroon,
  encodeBakeryMacaroon,
} from './bakery-json.ts'
export {
  type BakeryMacaroon,
  type BakeryMintInput,
  caveatPayload,
  mintBakeryMacaroon,
} from './bakery-macaroon.ts'
export type { BakeryVersion, CaveatIdInput, DecodedCaveatId } from './caveat-id/caveat-id.ts'
export { decodeCaveatId } from './caveat-id/decode-caveat-id.ts'
export { encodeCaveatId } from './caveat-id/encode-caveat-id.ts'
export {
  type CaveatCheck,
  type CaveatInfo,
  type DischargeInput,
  discharge,
  dischargeLocal,
  type LocalDischargeInput,
} from './discharge.ts'
export {
  type DischargeAllOptions,
  type DischargeNeed,
  dischargeAll,
  type GetDischarge,
} from './discharge-all.ts'
export { BakeryError, type BakeryErrorCode } from './errors.ts'
export {
  decodeKey,
  decodePublicKey,
  generateKeyPair,
  type KeyPair,
  keyPairFromPrivateKey,
} from './key-pair.ts'
export {
  formatMacaroonsHeader,
  type MacaroonsOptions,
  type MacaroonsRead,
  slicesFromCookieHeader,
  slicesFromMacaroonsHeader,
} from './macaroons-header.ts'
export { formatNamespace, type Namespace, parseNamespace, STANDARD_NAMESPACE } from './namespace.ts'
