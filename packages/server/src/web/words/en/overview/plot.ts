/** Words of plots: what was counted in the hours of a day, the days of a month or the months of a year. */
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
const PEAKS: Readonly<Record<Unit, string>> = { hour: 'from', day: 'on', month: 'in' }

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
  /** At an axis, where there is little room. */
  tick: (value: number): string => (value < 100_000 ? number(value) : SHORT.format(value)),
  /** What the plot shows, for whoever does not see it. */
  summary: ({ label, unit, periods, total, peak, series }: Summary): string => {
    const sums = series.map((one) => `${one.name} ${number(one.total)}`).join(', ')
    const most = `Most ${PEAKS[unit]} ${start(unit, peak.at)}: ${number(peak.value)}.`
    return `${label}: ${number(total)} in ${counted(periods, ...UNITS[unit])}. ${most} ${series.length > 1 ? `Of all: ${sums}.` : ''}`.trim()
  },
  nothing: 'Nothing was counted in this time.',
  asTable: 'As a table',
  when: 'When (UTC)',
} as const
