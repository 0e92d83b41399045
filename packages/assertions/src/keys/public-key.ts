import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import { AssertionError } from '../errors.ts'
import { bitLength, Reader, readPacket, trimmed, writeMpi, writePacket } from './openpgp.ts'

const TAG = 6
/** OpenPGP's numbers for RSA: any use, encrypt only, sign only. A key is the same key under all three. */
const RSA = [1, 2, 3]
/** 2016-01-01T00:00:00Z for every key, so that modulus and exponent alone make the id. */
const CREATED = [0x56, 0x85, 0xc1, 0x80]
/** Version 4, when it was made, RSA for any use. */
const START = Buffer.of(4, ...CREATED, 1)

/** An RSA public key that assertions are signed with. Made by the functions of this file only. */
export interface PublicKey {
  /** SHA3-384 of the encoded key, base64url without padding: 64 characters. */
  readonly id: string
  /** Size of the modulus. */
  readonly bits: number
  /** Big-endian, no leading zeros. */
  readonly modulus: Uint8Array
  /** Odd, 3 or more, at most 3 bytes. */
  readonly exponent: number
}

/**
 * Reads an encoded public key, as in the header `device-key` and in the body of an account-key (contract/devices.md
 * 3.4). No minimum size: that is policy. Other creation times, packet headers and RSA algorithm numbers than snapd
 * writes give the same id. Throws {@link AssertionError} `malformed-key` or `unsupported-key`.
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

/** Writes a public key as for `device-key` and the bodies of account-keys, in lines of 76 characters. */
export function encodePublicKey(key: PublicKey): string {
  return encodeBase64(encoded(trimmed(exponentBytes(key.exponent)), key.modulus))
}

/**
 * From a public or private RSA `KeyObject`. Throws {@link AssertionError} `unsupported-key` for other kinds,
 * `malformed-key` for an exponent that assertions cannot have.
 */
export function publicKeyFromKeyObject(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'rsa') {
    throw unsupported(`is not an RSA key but ${key.asymmetricKeyType ?? 'a secret'}`)
  }
  const { n = '', e = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return publicKey(Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url'))
}

const keyObjects = new WeakMap<PublicKey, KeyObject>()

/** The key for `node:crypto`. Throws {@link AssertionError} `malformed-key` when OpenSSL cannot take it. */
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

/** The key in PKCS#1, as PEM: OpenSSL reads that text in 12 µs, the same bytes in DER in 40, a JWK in 35. */
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

/** A value in DER of less than 64 KiB. A modulus is shorter: its bits are counted in 16 bits. */
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
