/** Creates many RSA keys from few primes, because finding primes is slow. For tests only. */
import { createPrivateKey, generatePrime, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const newPrime = promisify<number, { readonly bigint: true }, bigint>(generatePrime)

const EXPONENT = 65_537n

/** Returns a random prime for a key of twice as many bits. */
export async function primeOf(bits: number): Promise<bigint> {
  for (;;) {
    const prime = await newPrime(bits, { bigint: true })
    // If both primes have their two highest bits set, their product has the full length, as in ordinary keys.
    if (prime >> BigInt(bits - 2) === 3n && (prime - 1n) % EXPONENT !== 0n) return prime
  }
}

/** Returns the private key of two different primes. */
export function keyOf(p: bigint, q: bigint): KeyObject {
  const phi = (p - 1n) * (q - 1n)
  const d = inverse(EXPONENT, phi)
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const key: JsonWebKey = { kty: 'RSA' }
  for (const [name, value] of Object.entries(numbers)) key[name] = base64Url(value)
  return createPrivateKey({ key, format: 'jwk' })
}

/** Returns the inverse of `value` modulo `modulus`, by Euclid's algorithm. */
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
