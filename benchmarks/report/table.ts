/** Prints the table of figures. */
import { table } from '../../faults/report.ts'
import type { WorkResult } from '../works/work.ts'
import { type Figure, verdict } from './figure.ts'

const HEAD = ['work', 'database', 'measure', 'ours', 'compared with', 'value', 'target', '']

export function tableOf(name: string, { figures, refusals }: WorkResult): string {
  const rows = figures.map((figure) => [`${name}: ${figure.what}`, ...cellsOf(figure)])
  const refused = refusals.map(({ what, status, refused }) => [
    `${name}: ${what}`,
    ...['', 'status', String(status), '', '', 'refused', refused ? 'met' : 'NOT REFUSED'],
  ])
  return `\n${table([HEAD, ...rows, ...refused])}\n`
}

/** Returns the cells of a figure, from the database to the result. */
export function cellsOf(figure: Figure): readonly string[] {
  const { database = '', measure, ours, beside, mark } = figure
  return [
    ...[database, measure, short(ours)],
    beside ? `${beside.name}: ${short(beside.value)}` : '',
    shownValue(figure),
    mark ? `${mark.is} ${mark.limit}` : '',
    verdict(figure),
  ]
}

export const shownValue = ({ beside, value }: Figure): string =>
  beside ? `${value.toFixed(2)} times` : short(value)

/** Returns a figure with three significant digits. */
export function short(figure: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(figure) || 1)))
  return figure.toFixed(Math.min(digits, 3))
}
