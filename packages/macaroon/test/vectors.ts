import { readFileSync } from 'node:fs'

/** Reads a vector file of `../vectors` (see the README there). The caller states the shape it relies on. */
export function vectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as Shape
}

export const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
