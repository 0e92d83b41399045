/** Very many device keys for little work: a prime of one key and a prime of another make a third. */
import { createPrivateKey, generatePrime, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import { type PrivateKey, privateKeyFromKeyObject } from '@ratafia/assertions'

const newPrime = promisify<number, { readonly bigint: true }, bigint>(generatePrime)

const EXPONENT = 65_537n
/** The two highest bits are set, so that the product of two has all its bits, as in keys made the usual way. */
const PRIME_BITS = 1024

/** `count` keys of 2048 bits, each another one. */
export async function crossedKeys(count: number): Promise<readonly PrivateKey[]> {
  const primes: bigint[] = []
  while ((primes.length * (primes.length - 1)) / 2 < count) {
    const prime = await newPrime(PRIME_BITS, { bigint: true })
    if (prime >> BigInt(PRIME_BITS - 2) === 3n && (prime - 1n) % EXPONENT !== 0n) primes.push(prime)
  }
  const keys: PrivateKey[] = []
  for (const [index, p] of primes.entries()) {
    for (const q of primes.slice(0, index)) if (keys.length < count) keys.push(keyOf(p, q))
  }
  return keys
}

function keyOf(p: bigint, q: bigint): PrivateKey {
  const phi = (p - 1n) * (q - 1n)
  const d = inverse(EXPONENT, phi)
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const key: JsonWebKey = { kty: 'RSA' }
  for (const [name, value] of Object.entries(numbers)) key[name] = base64Url(value)
  return privateKeyFromKeyObject(createPrivateKey({ key, format: 'jwk' }))
}

/** Of `value` modulo `modulus`, by Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n]
  while (b !== 0n) {
    const times = a / b
    ;[a, b, x, y] = [b, a - times * b, y, x - times * y]
  }
  return ((x % modulus) + modulus) % modulus
}

function base64Url(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}
