export type { DecodeOptions } from './assemble.ts'
export { type AssertionOf, expectType, type TrustedAssertion, type UnverifiedAssertion } from './assertion.ts'
export { type Constraints, constraintsAllow } from './constraints/constraints.ts'
export type { HeaderInput, SigningInput } from './content.ts'
export { decode } from './decode.ts'
export { decodeStream } from './decode-stream.ts'
export { ASSERTION_MEDIA_TYPE, encode, encodeStream } from './encode.ts'
export { AssertionError, type AssertionErrorCode } from './errors.ts'
export type { Headers, HeaderValue } from './headers/header-value.ts'
export { formatTimestamp } from './headers/timestamp.ts'
export { verifyHardwareSignature } from './keys/hardware-signature.ts'
export { type PrivateKey, privateKeyFromKeyObject, privateKeyFromPem } from './keys/private-key.ts'
export {
  decodePublicKey,
  encodePublicKey,
  keyObjectOf,
  type PublicKey,
  publicKeyFromKeyObject,
} from './keys/public-key.ts'
export { type SigningOptions, sign, signAsync } from './keys/sign.ts'
export { decodeSignature, type HashName, type UnverifiedSignature } from './keys/signature-packet.ts'
export { verifySelfSigned, verifySignature } from './keys/verify.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { checkReplaces, isReferredTo } from './revision.ts'
export {
  checkHashPolicy,
  checkKeyPolicy,
  DEFAULT_POLICY,
  type Policy,
  SIGNING_POLICY,
  SNAPD_POLICY,
} from './trust/policy.ts'
export { checkKeyMaySign, checkKeyValidNow } from './trust/signing-key.ts'
export { type TrustRoots, trustRoots } from './trust/trust-roots.ts'
export {
  type CheckedAssertions,
  type FindAssertion,
  type TrustContext,
  verifyTrust,
} from './trust/verify-trust.ts'
export type { AccountFields } from './types/account.ts'
export type { AccountKeyFields, AccountKeyRequestFields } from './types/account-key.ts'
export type { HardwareIdentityFields } from './types/hardware-identity.ts'
export type { ModelFields } from './types/model.ts'
export { type FieldsOf, isTypeName, TYPE_NAMES, type TypeName } from './types/registry.ts'
export {
  type DeviceSessionRequestFields,
  isStrictSerial,
  type SerialFields,
  type SerialRequestFields,
} from './types/serial.ts'
export type { StoreFields } from './types/store.ts'
