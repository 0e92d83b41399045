/** Creates very many device keys at low cost. */
import { type PrivateKey, privateKeyFromKeyObject } from '@ratafia/assertions'
import { keyOf, primeOf } from '../../../../tools/test/crossed-keys.ts'

/** Returns `count` different keys of 2048 bits. */
export async function crossedKeys(count: number): Promise<readonly PrivateKey[]> {
  const primes: bigint[] = []
  while ((primes.length * (primes.length - 1)) / 2 < count) primes.push(await primeOf(1024))
  const keys: PrivateKey[] = []
  for (const [index, p] of primes.entries()) {
    for (const q of primes.slice(0, index)) {
      if (keys.length < count) keys.push(privateKeyFromKeyObject(keyOf(p, q)))
    }
  }
  return keys
}
