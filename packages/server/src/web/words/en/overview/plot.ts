/** The words of plots, which show counts by the hours of a day, the days of a month or the months of a year. */
import { counted, number } from '../common.ts'

type Unit = 'hour' | 'day' | 'month'

const UTC = { timeZone: 'UTC' } as const
const STARTS: Readonly<Record<Unit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...UTC }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...UTC }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', ...UTC }),
}
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

const start = (unit: Unit, at: Date): string => STARTS[unit].format(at)

const UNITS: Readonly<Record<Unit, readonly [string, string]>> = {
  hour: ['hour', 'hours'],
  day: ['day', 'days'],
  month: ['month', 'months'],
}
const WHEN: Readonly<Record<Unit, string>> = { hour: 'Time (UTC)', day: 'Day (UTC)', month: 'Month (UTC)' }
const PEAKS: Readonly<Record<Unit, string>> = { hour: 'at', day: 'on', month: 'in' }

interface Summary {
  readonly label: string
  readonly unit: Unit
  readonly periods: number
  readonly total: number
  readonly peak: { readonly at: Date; readonly value: number }
  readonly series: readonly { readonly name: string; readonly total: number }[]
}

export const plot = {
  start,
  /** A number at an axis, where there is little room. */
  tick: (value: number): string => (value < 100_000 ? number(value) : SHORT.format(value)),
  /** Describes the plot for readers who cannot see it. */
  summary: ({ label, unit, periods, total, peak, series }: Summary): string => {
    const sums = series.map((one) => `${one.name} ${number(one.total)}`).join(', ')
    const most = `Peak ${PEAKS[unit]} ${start(unit, peak.at)}: ${number(peak.value)}.`
    return `${label}: ${number(total)} in ${counted(periods, ...UNITS[unit])}. ${most} ${series.length > 1 ? `By kind: ${sums}.` : ''}`.trim()
  },
  nothing: 'No activity in this period.',
  asTable: 'As a table',
  when: (unit: Unit): string => WHEN[unit],
} as const
