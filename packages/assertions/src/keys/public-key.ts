import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import { AssertionError } from '../errors.ts'
import { bitLength, Reader, readPacket, trimmed, writeMpi, writePacket } from './openpgp.ts'

const TAG = 6
/** OpenPGP's numbers for RSA: any use, encrypt only, sign only. All three give the same key. */
const RSA = [1, 2, 3]
/** The creation time 2016-01-01T00:00:00Z for every key, so that the id depends on modulus and exponent alone. */
const CREATED = [0x56, 0x85, 0xc1, 0x80]
/** Version 4, the creation time, RSA for any use. */
const START = Buffer.of(4, ...CREATED, 1)

/** The RSA public key of a key that signs assertions. Only the functions of this file create it. */
export interface PublicKey {
  /** The SHA3-384 of the encoded key, in 64 characters of base64url without padding. */
  readonly id: string
  /** The size of the modulus. */
  readonly bits: number
  /** The modulus, big-endian, without leading zeros. */
  readonly modulus: Uint8Array
  /** The exponent, which is odd, at least 3, and has at most 3 bytes. */
  readonly exponent: number
}

/**
 * Reads an encoded public key, as in the header `device-key` and in the body of an account-key (contract/devices.md
 * 3.4). Checks no minimum size, which is a matter of policy. Creation times, packet headers and RSA algorithm numbers
 * do not change the id. Throws {@link AssertionError} `malformed-key` or `unsupported-key`.
 */
export function decodePublicKey(text: string): PublicKey {
  const data = decodeBase64(text, WHAT, 'malformed-key')
  const packet = readPacket(data, {
    malformed: 'malformed-key',
    unsupported: 'unsupported-key',
    what: WHAT,
    tag: TAG,
  })
  const fields = new Reader(packet, () => malformed('is cut off'))
  const version = fields.number(1)
  if (version !== 4) throw unsupported(`has OpenPGP version ${version}, not 4`)
  fields.bytes(CREATED.length)
  const algorithm = fields.number(1)
  if (!RSA.includes(algorithm)) {
    throw unsupported(`is not an RSA key but of OpenPGP algorithm ${algorithm}`)
  }
  const [modulus, exponent] = [fields.mpi(), fields.mpi()]
  if (fields.left > 0) throw malformed('has bytes after its end')
  return publicKey(modulus, exponent)
}

/** Encodes a public key for `device-key` and the bodies of account-keys, in lines of 76 characters. */
export function encodePublicKey(key: PublicKey): string {
  return encodeBase64(encoded(trimmed(exponentBytes(key.exponent)), key.modulus))
}

/**
 * Returns the public key of a public or private RSA `KeyObject`. Throws {@link AssertionError} `unsupported-key` for
 * other kinds, `malformed-key` for an exponent that assertions cannot have.
 */
export function publicKeyFromKeyObject(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'rsa') {
    throw unsupported(`is not an RSA key but ${key.asymmetricKeyType ?? 'a secret'}`)
  }
  const { n = '', e = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return publicKey(Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url'))
}

const keyObjects = new WeakMap<PublicKey, KeyObject>()

/** Returns the key for `node:crypto`. Throws {@link AssertionError} `malformed-key` if OpenSSL refuses it. */
export function keyObjectOf(key: PublicKey): KeyObject {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const made = importKey(key)
  keyObjects.set(key, made)
  return made
}

function importKey(key: PublicKey): KeyObject {
  try {
    return createPublicKey(pkcs1(key))
  } catch (cause) {
    throw new AssertionError('malformed-key', `public key ${key.id} cannot be used`, { cause })
  }
}

function publicKey(modulusBytes: Buffer, exponentField: Buffer): PublicKey {
  if (exponentField.length > 3) throw malformed('has an RSA exponent of more than 3 bytes')
  // Copies, so that a small key does not keep the whole assertion alive.
  const modulus = Buffer.from(trimmed(modulusBytes))
  const exponent = exponentField.length === 0 ? 0 : exponentField.readUIntBE(0, exponentField.length)
  if (((modulus.at(-1) ?? 0) & exponent & 1) === 0 || exponent < 3) {
    throw malformed('is not an RSA key: its modulus and exponent must be odd')
  }
  const id = hash('sha3-384', encoded(trimmed(exponentField), modulus), 'base64url')
  return { id, bits: bitLength(modulus), modulus, exponent }
}

function encoded(exponent: Uint8Array, modulus: Uint8Array): Buffer {
  return writePacket(TAG, [START, ...writeMpi(modulus), ...writeMpi(exponent)])
}

/** Returns the key in PKCS#1 as PEM, which OpenSSL reads in 12 µs; the same bytes in DER take 40, a JWK 35. */
function pkcs1({ modulus, exponent }: PublicKey): string {
  const integers = [modulus, trimmed(exponentBytes(exponent))].map((integer) => {
    // A first bit of 1 would make it negative.
    return der(INTEGER, Buffer.concat([Buffer.alloc((integer[0] ?? 0) >> 7), integer]))
  })
  const bytes = der(SEQUENCE, Buffer.concat(integers))
  return `-----BEGIN RSA PUBLIC KEY-----\n${bytes.toString('base64')}\n-----END RSA PUBLIC KEY-----`
}

const INTEGER = 0x02
const SEQUENCE = 0x30

/** Writes a DER value of less than 64 KiB. A modulus is shorter, because a 16-bit number counts its bits. */
function der(tag: number, value: Uint8Array): Buffer {
  const { length } = value
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), value])
}

function exponentBytes(exponent: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntBE(exponent, 0, 3)
  return bytes
}

const WHAT = 'the public key'

function malformed(fault: string): AssertionError {
  return new AssertionError('malformed-key', `${WHAT} ${fault}`)
}

function unsupported(fault: string): AssertionError {
  return new AssertionError('unsupported-key', `${WHAT} ${fault}`)
}
