/** Seals everything again under the current secret key, while the service runs. */
import { type Authority, requireForAll } from '../authority.ts'
import type { ChangingBy } from '../change.ts'
import type { SealedValueStore } from './sealed-value-store.ts'
import type { Sealer } from './sealing.ts'

export interface Resealed {
  /** How many values were sealed under the previous secret and are now under the current one. */
  readonly resealed: number
  readonly unchanged: number
  /** The names of values that open under neither secret. They are left unchanged. */
  readonly unreadable: readonly string[]
}

type Progress = (done: number, total: number) => void

/** The most rounds. Each checks again, because a process with only the previous secret may have added a key. */
const ROUNDS = 100

/**
 * Seals a handful of rows again and records it, in one transaction: after a crash all are unchanged, and a
 * second run finds nothing to do. Each update applies only to the value that was read, so two concurrent runs
 * do no harm. Throws `permission-denied`.
 */
export async function reseal(
  {
    sealer,
    authority,
    onProgress,
  }: { readonly sealer: Sealer; readonly authority: Authority; readonly onProgress?: Progress },
  { changeBy }: { readonly changeBy: ChangingBy },
): Promise<Resealed> {
  requireForAll(authority, 'roles:manage')
  return changeBy(authority.author)(async ({ sealedValues, record }) => {
    const result = await resealRounds(sealedValues, sealer, onProgress)
    if (result.resealed > 0) {
      const [subject, previous = ''] = sealer.keyIds()
      await record({ action: 'secret.rotate', subject, details: { previous, ...result } })
    }
    return result
  })
}

async function resealRounds(sealedValues: SealedValueStore, sealer: Sealer, onProgress?: Progress) {
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
      // If another process has replaced it, the next round looks at it again.
      if (await value.replace(sealer.seal(value.purpose, plaintext))) resealed++
      plaintext.fill(0)
      changed++
    }
    if (changed === 0 || round === ROUNDS) {
      return { resealed, unchanged: values.length - unreadable.length - resealed, unreadable }
    }
  }
}
