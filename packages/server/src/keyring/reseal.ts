/** Seals everything anew under the current secret key, while the service runs. */
import type { SealedValueStore } from './sealed-value-store.ts'
import type { Sealer } from './sealing.ts'

export type { SealedValueStore } from './sealed-value-store.ts'

export interface Resealed {
  /** How many lay under the previous secret and lie under the current one now. */
  readonly resealed: number
  readonly unchanged: number
  /** Which ones open under neither: they stay as they are. */
  readonly unreadable: readonly string[]
}

/** Looks again after each round: a process that has only the previous secret may have added a key meanwhile. */
const ROUNDS = 100

/**
 * Row by row, each an update of its own that holds only for the value that was read: so it goes on where it was
 * interrupted, does nothing a second time, and two at once do no harm. What a start looks at to tell the right secret
 * (the seal check) comes last.
 */
export async function reseal({
  sealedValues,
  sealer,
  onProgress,
}: {
  readonly sealedValues: SealedValueStore
  readonly sealer: Sealer
  readonly onProgress?: (done: number, total: number) => void
}): Promise<Resealed> {
  let resealed = 0
  for (let round = 1; ; round++) {
    const values = await sealedValues.all()
    const unreadable: string[] = []
    let changed = 0
    let done = 0
    for (const value of values) {
      onProgress?.(++done, values.length)
      if (sealer.isCurrent(value.purpose, value.sealed)) continue
      const plaintext = sealer.unseal(value.purpose, value.sealed)
      if (!plaintext) {
        unreadable.push(value.name)
        continue
      }
      // What another process has replaced meanwhile is looked at again.
      if (await value.replace(sealer.seal(value.purpose, plaintext))) resealed++
      plaintext.fill(0)
      changed++
    }
    if (changed === 0 || round === ROUNDS) {
      return { resealed, unchanged: values.length - unreadable.length - resealed, unreadable }
    }
  }
}
