/** Reproducible randomness: the same seed and name give the same numbers (sfc32). */
import { createHash } from 'node:crypto'

export interface Random {
  /** Returns a number of at least 0 and below 1. */
  next(): number
  /** Returns a whole number of at least 0 and below `limit`. */
  below(limit: number): number
  chance(probability: number): boolean
  /** Returns a random item; undefined if the list is empty. */
  pick<T>(from: readonly T[]): T | undefined
  /** Picks a row with a probability proportional to its weight. */
  weighted<T extends { readonly weight: number }>(rows: readonly T[]): T | undefined
}

export function seeded(seed: string, name: string): Random {
  const hash = createHash('sha256').update(`${seed}\n${name}`).digest()
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => hash.readInt32LE(at)) as [number, number, number, number]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)],
    weighted: (rows) => {
      let left = next() * rows.reduce((sum, { weight }) => sum + weight, 0)
      return rows.find(({ weight }) => {
        left -= weight
        return left < 0
      })
    },
  }
}
