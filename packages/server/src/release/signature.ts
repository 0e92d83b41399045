/**
 * Signatures that `ssh-keygen -Y sign` makes, in the format of OpenSSH's PROTOCOL.sshsig. Those of security keys follow
 * PROTOCOL.u2f.
 */
import { hash, verify } from 'node:crypto'
import { fingerprintOf, isKeyType, type KeyType, type PublicKey } from './public-key.ts'
import { ReleaseError } from './release-error.ts'
import { readWire, strictBase64, type WireReader, wireString } from './wire.ts'

export interface UnverifiedSignature {
  /** The name of the file, for messages. */
  readonly name: string
  readonly namespace: string
  readonly hashName: HashName
  /** The binary form of the public key. */
  readonly keyBlob: Buffer
  readonly type: KeyType
  /** The Ed25519 signature, in any length. */
  readonly signature: Buffer
  /** The flags and the counter of a security key, which its signature covers: 5 bytes. Empty for others. */
  readonly device: Buffer
}

/** The longest signature file, in bytes. Real ones have about 400. */
export const MAX_SIGNATURE_BYTES = 4096

const HASHES = ['sha512', 'sha256'] as const
type HashName = (typeof HASHES)[number]

const MAGIC = Buffer.from('SSHSIG')
const ARMOR =
  /^-----BEGIN SSH SIGNATURE-----\n(?<lines>(?:[A-Za-z0-9+/=]{1,76}\n)+)-----END SSH SIGNATURE-----\n$/

/** Parses an armored signature; messages contain its `name`. Throws {@link ReleaseError}. */
export function parseSignature(text: string, name: string): UnverifiedSignature {
  const refuse = (fault: string) =>
    new ReleaseError(
      `${name} is not a signature that \`ssh-keygen -Y sign\` made: ${fault}. Download it again.`,
    )
  if (text.length > MAX_SIGNATURE_BYTES) throw refuse('it is too long')
  const lines = ARMOR.exec(text)?.groups?.['lines']
  const blob = lines === undefined ? undefined : strictBase64(lines.replaceAll('\n', ''))
  if (blob === undefined) throw refuse('it is not base64 between the two lines of an SSH SIGNATURE')
  const reader = readWire(blob, refuse)
  if (!reader.bytes(MAGIC.length).equals(MAGIC)) throw refuse('it does not begin with SSHSIG')
  const version = reader.uint32()
  if (version !== 1) throw refuse(`its format has version ${version}, and only 1 is known`)
  const keyBlob = reader.string()
  const namespace = reader.text()
  if (reader.string().length > 0) throw refuse('its reserved field is not empty')
  const given = reader.text()
  const hashName = HASHES.find((one) => one === given)
  if (hashName === undefined) throw refuse(`it uses the hash ${JSON.stringify(given)}`)
  const inner = readWire(reader.string(), refuse)
  reader.end()
  const type = inner.text()
  if (!isKeyType(type)) throw refuse(`it has the type ${JSON.stringify(type)}, which is not Ed25519`)
  const signature = inner.string()
  const device = SIGNATURE_TYPES[type].deviceIn(inner)
  inner.end()
  return { name, namespace, hashName, keyBlob, type, signature, device }
}

export interface Signed {
  readonly message: Uint8Array
  /** The name of its file, for messages. */
  readonly name: string
  readonly namespace: string
}

/**
 * Returns the key that signed the message. Throws {@link ReleaseError} if the signature is for another purpose, by none
 * of the `keys`, without a person at the security key, or does not fit.
 */
export function verifySignature<Key extends PublicKey>(
  unverified: UnverifiedSignature,
  { message, name, namespace }: Signed,
  keys: readonly Key[],
): Key {
  const key = keys.find(({ blob }) => blob.equals(unverified.keyBlob))
  if (key === undefined) {
    throw new ReleaseError(
      `${unverified.name} is signed with ${fingerprintOf(unverified.keyBlob)}, which is not one of the keys ${keys.map(({ blob }) => fingerprintOf(blob)).join(' and ')}. Do not use these files.`,
    )
  }
  if (unverified.namespace !== namespace) {
    throw new ReleaseError(
      `${unverified.name} is a signature for ${JSON.stringify(unverified.namespace)}, not for ${JSON.stringify(namespace)}. Do not use these files.`,
    )
  }
  const signed = Buffer.concat([
    MAGIC,
    wireString(namespace),
    wireString(''),
    wireString(unverified.hashName),
    wireString(hash(unverified.hashName, message, 'buffer')),
  ])
  const { isPresent, covered } = SIGNATURE_TYPES[key.type]
  if (
    unverified.type !== key.type ||
    !verify(null, covered(signed, key, unverified), key.ed25519, unverified.signature)
  ) {
    throw new ReleaseError(
      `The signature in ${unverified.name} does not fit ${name}. Do not use these files: download both again.`,
    )
  }
  if (!isPresent(unverified)) {
    throw new ReleaseError(
      `${unverified.name} was made by a security key without a touch, so maybe without its owner. Do not use these files.`,
    )
  }
  return key
}

interface SignatureType {
  /** Reads what a security key adds to the Ed25519 signature. */
  readonly deviceIn: (signature: WireReader) => Buffer
  /** Whether a person was at the security key. */
  readonly isPresent: (unverified: UnverifiedSignature) => boolean
  /** Returns the bytes that the Ed25519 signature covers. */
  readonly covered: (signed: Buffer, key: PublicKey, unverified: UnverifiedSignature) => Buffer
}

const USER_PRESENT = 0x01

const SIGNATURE_TYPES: Readonly<Record<KeyType, SignatureType>> = {
  'ssh-ed25519': {
    deviceIn: () => Buffer.alloc(0),
    isPresent: () => true,
    covered: (signed) => signed,
  },
  'sk-ssh-ed25519@openssh.com': {
    deviceIn: (signature) => signature.bytes(5),
    isPresent: ({ device }) => (device.readUInt8() & USER_PRESENT) !== 0,
    covered: (signed, { application }, { device }) =>
      Buffer.concat([hash('sha256', application, 'buffer'), device, hash('sha256', signed, 'buffer')]),
  },
}
