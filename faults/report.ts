/** The report at the end of a run. */
import { INVARIANTS } from './check/invariants.ts'
import type { Result } from './run.ts'

/** How many findings of each invariant are printed. */
const SHOWN = 5

export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => String(row[at]).length))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, at) => {
          const width = widths[at] ?? 0
          return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function reportOf(results: readonly Result[]): string {
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0)
  const line = (name: string, of: (what: (result: Result) => number) => number) => [
    name,
    of(({ seconds }) => seconds),
    of(({ strikes }) => strikes),
    of(({ operations }) => operations),
    of(({ acknowledged }) => acknowledged),
    of(({ refused }) => refused),
    of(({ unavailable }) => unavailable),
    of(({ silent }) => silent),
    of(({ violations }) => violations.length),
  ]
  const head = ['fault', 'seconds', 'strikes', 'operations', '2xx', '4xx', '503', 'no answer', 'violations']
  return table([
    head,
    ...results.map((result) => line(result.fault, (what) => what(result))),
    line('all', sum),
  ])
}

/** Returns the text of the findings, a few per invariant. */
export function findingsOf({ violations }: Result): string {
  return INVARIANTS.flatMap(({ name, says }) => {
    const found = violations.filter(({ invariant }) => invariant === name)
    if (found.length === 0) return []
    const shown = found.slice(0, SHOWN).map(({ what }) => `    ${what}`)
    const more = found.length > SHOWN ? [`    … ${found.length - SHOWN} more`] : []
    return [`  ${name}: ${says}`, ...shown, ...more]
  }).join('\n')
}
