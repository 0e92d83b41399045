/** One row of the table: the measured thing, its comparison, and whether it meets its target. */
import type { DatabaseKind } from '../services/installation.ts'

export interface Mark {
  readonly is: 'at most' | 'at least'
  readonly limit: number
}

export interface Figure {
  readonly what: string
  readonly database?: DatabaseKind
  /** The unit and quantity, such as `µs of CPU`. */
  readonly measure: string
  readonly ours: number
  readonly beside?: { readonly name: string; readonly value: number }
  /** The value that the target applies to: ours divided by the other one, or ours alone. */
  readonly value: number
  readonly mark?: Mark
  /** Further details, such as rates, latencies and all rounds. */
  readonly more?: Readonly<Record<string, unknown>>
}

type Facts = Omit<Figure, 'value' | 'beside' | 'mark'>

/** A figure whose value is ours divided by that of the comparison. */
export const ratio = (facts: Facts, beside: { name: string; value: number }, mark?: Mark): Figure => ({
  ...facts,
  ...{ beside, value: facts.ours / beside.value },
  ...(mark && { mark }),
})

export const alone = (facts: Facts, mark?: Mark): Figure => ({
  ...{ ...facts, value: facts.ours },
  ...(mark && { mark }),
})

export const atMost = (limit: number): Mark => ({ is: 'at most', limit })
export const atLeast = (limit: number): Mark => ({ is: 'at least', limit })

export const isMet = ({ value, mark }: Pick<Figure, 'value' | 'mark'>): boolean =>
  !mark || (mark.is === 'at most' ? value <= mark.limit : value >= mark.limit)

/** Returns `met, 12 % to spare` or `missed by 40 %`, relative to the target; empty without a target. */
export function verdict({ value, mark }: Pick<Figure, 'value' | 'mark'>): string {
  if (!mark) return ''
  const apart = Math.abs(value / mark.limit - 1) * 100
  const percent = `${apart < 10 ? apart.toFixed(1) : Math.round(apart)} %`
  return isMet({ value, mark }) ? `met, ${percent} to spare` : `missed by ${percent}`
}
