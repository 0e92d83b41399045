/** The words of the overview. */
import { counted, number, time } from './common.ts'

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  signDisplay: 'always',
  maximumFractionDigits: 0,
})

type Unit = 'hour' | 'day' | 'month'

interface UpTo {
  readonly devices: number
  readonly more: boolean
}

/** `17 devices`, `more than 10,000 devices`. */
const devices = ({ devices, more }: UpTo): string =>
  `${more ? 'more than ' : ''}${counted(devices, 'device', 'devices')}`

const PER: Readonly<Record<Unit, string>> = { hour: 'per hour', day: 'per day', month: 'per month' }

export const overview = {
  title: 'Overview',
  brand: 'Brand',
  allBrands: 'all brands',
  period: 'Period',
  periods: { '24h': '24 hours', '30d': '30 days', '12mo': '12 months' },
  toDo: 'To do',
  nothing: 'Nothing to do.',
  noBrand: 'No brands yet.',
  noBrandWhat:
    'A brand is the account of a device maker. Its signing key signs the serials of devices, so no device can register before you add one. You add it on the host, because private keys are never sent over HTTP.',
  noBrandStep: 'Show requirements',
  noBrandCommand: 'To create a brand for testing, run on the host:',

  waiting: (waiting: UpTo): string => `${devices(waiting)} pending approval`,
  oldest: (at: Date, now: Date): string => `, the oldest registered ${time.relative(at, now)}`,
  quarantined: (found: UpTo): string => `${devices(found)} quarantined`,
  evidence: (found: UpTo): string => `${devices(found)} with evidence of a clone`,
  withoutKey: (brand: string): string =>
    `The brand ${brand} has no active signing key, so its devices cannot get serials`,
  signingKey: (brand: string, end: Date, now: Date): string =>
    `The last signing key of ${brand} expires ${time.relative(end, now)}`,
  apiKeys: (model: string, keys: number): string => `${counted(keys, 'API key', 'API keys')} of ${model}`,
  apiKeysEnd: (keys: number, first: Date, now: Date): string =>
    keys === 1
      ? ` expires ${time.relative(first, now)}`
      : ` expire within 30 days, the first ${time.relative(first, now)}`,
  tokens: (tokens: number, more: boolean): string =>
    `${more ? 'More than ' : ''}${counted(tokens, 'token expires', 'tokens expire')} within 30 days`,
  tokensFirst: (first: Date, now: Date): string => `, the first ${time.relative(first, now)}`,
  jobs: (jobs: number): string => `${counted(jobs, 'job', 'jobs')} failed or stopped in the last 7 days`,
  signInLink: (username: string): string =>
    `A link was created that signs in as ${username} without a password`,
  signInLinkAt: (at: Date, now: Date): string =>
    ` (${time.relative(at, now)}). If none of your operators created it, someone else has access to the host.`,
  setUp: (username: string): string => `${username} set up this installation`,
  setUpAt: (at: Date, address: string, now: Date): string =>
    ` (${time.relative(at, now)}, from ${address}) and became its first operator.`,
  more: (left: number): string => `${number(left)} more like these`,

  plots: {
    registrations: (unit: Unit): string => `Registrations ${PER[unit]}`,
    'device-sessions': (unit: Unit): string => `Device sessions ${PER[unit]}`,
    'store-questions': (): string => 'Session checks by the store',
    'token-uses': (unit: Unit): string => `Token uses ${PER[unit]}`,
    logins: (unit: Unit): string => `Logins ${PER[unit]}`,
  },
  series: {
    serial: 'serial issued',
    waits: 'pending',
    refused: 'refused',
    opened: 'opened',
    refreshed: 'refreshed',
    valid: 'valid',
    developer: 'developer tokens',
    management: 'management tokens',
    person: 'by a person or agent',
    job: 'by a CI job',
  },
  refusals: (period: string): string => `Refusals, ${period}`,
  noRefusals: 'No refusals in this period.',
  columns: { code: 'Code', number: 'Count', change: 'Change' },
  change: {
    unknown: 'not available',
    same: 'unchanged',
    fresh: 'new',
    times: (factor: number): string => `×${number(Math.round(factor))}`,
    by: (share: number): string => PERCENT.format(share),
  },
  countedTo: (at: Date): string => `Counted up to ${CLOCK.format(at)} UTC, on all nodes together.`,
} as const

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
