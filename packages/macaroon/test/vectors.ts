import { readFileSync } from 'node:fs'
import { type KeyPair, keyPairFromPrivateKey } from '../src/bakery/index.ts'

/** Reads a vector file of `../vectors` (see the README there). The caller states the shape it relies on. */
export function vectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as Shape
}

export const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The key pairs that all vector files share: `first_party`, `third_party`, `agent`, `other`. */
export function vectorKeyPairs(): Readonly<Record<string, KeyPair>> {
  const { keys } = vectors<{ keys: Record<string, { private_hex: string }> }>('03-caveat-ids')
  return Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, keyPairFromPrivateKey(fromHex(key.private_hex))]),
  )
}
