/** The errors in a file that a job was to import, each with its place. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { table } from '../table.ts'
import type { JobItem } from './job-chips.ts'

export interface Fault {
  readonly line: number | undefined
  readonly item: number | undefined
  readonly column: string | undefined
  readonly message: string
}

const text = words.jobs

/**
 * Returns the errors in a job's item. Its schema does not define `extra`, so entries with an unknown form are left out.
 */
export function faultsOf({ extra }: Pick<JobItem, 'extra'>): readonly Fault[] {
  const faults = extra?.['faults']
  if (!Array.isArray(faults)) return []
  return faults.flatMap((one: unknown): Fault[] => {
    if (typeof one !== 'object' || one === null) return []
    const { line, item, column, message } = one as Readonly<Record<string, unknown>>
    if (typeof message !== 'string') return []
    return [
      {
        line: typeof line === 'number' ? line : undefined,
        item: typeof item === 'number' ? item : undefined,
        column: typeof column === 'string' ? column : undefined,
        message,
      },
    ]
  })
}

/** `label`: the table's name for screen readers. */
export const faultsTable = (label: string, rows: readonly Fault[]): Html =>
  table<Fault>({
    ...{ label, rows },
    columns: [
      { label: text.faultColumns.place, cell: placeOf },
      {
        label: text.faultColumns.column,
        cell: ({ column }) => column && html`<code>${visibleText(column, 64)}</code>`,
      },
      { label: text.faultColumns.message, cell: ({ message }) => visibleText(message, 300) },
    ],
  })

const placeOf = ({ line, item }: Fault): string => {
  if (line !== undefined) return text.line(line)
  return item === undefined ? text.wholeFile : text.item(item)
}
