import { diffieHellman, type KeyObject } from 'node:crypto'
import { hsalsa } from '@noble/ciphers/salsa.js'
import { encodeBase64Url } from '../base64.ts'
import * as secretbox from '../secretbox.ts'
import { BakeryError } from './errors.ts'
import { type KeyPair, privateKeyObject, publicKeyObject } from './key-pair.ts'

/** Seals a NaCl `box`: a `secretbox` under a key that only the two parties can compute. */
export function sealBox(
  own: KeyPair,
  peer: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
): Uint8Array {
  return secretbox.seal(sharedKey(own, peer), nonce, plaintext)
}

/** Returns the plaintext, or undefined if the box was sealed with other keys or a different nonce, or was changed. */
export function openBox(
  own: KeyPair,
  peer: Uint8Array,
  nonce: Uint8Array,
  box: Uint8Array,
): Uint8Array | undefined {
  return secretbox.open(sharedKey(own, peer), nonce, box)
}

interface Known {
  readonly privateKey: KeyObject
  /** The shared keys by public key, least recently used first. */
  readonly shared: Map<string, Uint8Array>
}

// X25519 costs fifty times as much as the box itself, and a service sees the same peers again and again. So shared keys
// are cached for as long as their key pair lives. Strangers can fill the cache, but it doesn't grow.
const known = new WeakMap<KeyPair, Known>()
const PEERS_KEPT = 256

function sharedKey(own: KeyPair, peer: Uint8Array): Uint8Array {
  let entry = known.get(own)
  if (entry === undefined) {
    entry = { privateKey: privateKeyObject(own.privateKey), shared: new Map() }
    known.set(own, entry)
  }
  const name = encodeBase64Url(peer)
  const key = entry.shared.get(name) ?? computeSharedKey(entry.privateKey, peer)
  entry.shared.delete(name)
  entry.shared.set(name, key)
  if (entry.shared.size > PEERS_KEPT) entry.shared.delete(entry.shared.keys().next().value as string)
  return key
}

function computeSharedKey(privateKey: KeyObject, peer: Uint8Array): Uint8Array {
  const publicKey = publicKeyObject(peer)
  let secret: Buffer
  try {
    secret = diffieHellman({ privateKey, publicKey })
  } catch (cause) {
    // The key is a point of low order, so anyone would know the shared secret.
    throw new BakeryError('malformed', 'The public key of the other party is not usable', { cause })
  }
  const key = new Uint32Array(8)
  hsalsa(SIGMA, words(secret), new Uint32Array(4), key)
  return new Uint8Array(key.buffer)
}

const SIGMA = words(Buffer.from('expand 32-byte k'))

function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer)
}
