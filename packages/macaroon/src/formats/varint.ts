/** The largest length. Every reader of the format refuses larger ones, because no field can be that long. */
const LARGEST = 0x7fffffff
const MOST_BYTES = 10

/**
 * Reads an unsigned varint (least significant seven bits first) at `start`. Like Go, accepts longer forms of a small
 * number. Returns undefined if it is cut off, or larger than 2^31-1, so that no sum with it can overflow.
 */
export function readVarint(source: Uint8Array, start: number): [value: number, end: number] | undefined {
  let value = 0
  for (let i = 0; i < MOST_BYTES; i++) {
    const byte = source[start + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (value > LARGEST) return undefined
    if (byte < 0x80) return [value, start + i + 1]
  }
  return undefined
}

/** Writes a whole number from 0 to 2^31-1 as a varint. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}
