/** Words of the overview. */
import { counted, number, time } from '../common.ts'

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
const verb = ({ devices, more }: UpTo, one: string, other: string): string =>
  devices === 1 && !more ? one : other

const AN: Readonly<Record<Unit, string>> = { hour: 'an hour', day: 'a day', month: 'a month' }

export const overview = {
  title: 'Overview',
  brand: 'Brand',
  allBrands: 'all brands',
  period: 'Period',
  periods: { '24h': '24 hours', '30d': '30 days', '12mo': '12 months' },
  toDo: 'To do',
  nothing: 'There is nothing to do.',
  noBrand: 'There is no brand yet.',
  noBrandWhat:
    'A brand is an account of a device maker. Its signing key signs the serials of devices, so nothing can be registered before there is one. A brand is added on the host, because a private key never travels over HTTP.',
  noBrandStep: 'What a brand needs',
  noBrandCommand: 'On the host, or a brand to try things with:',

  waiting: (waiting: UpTo): string => `${devices(waiting)} ${verb(waiting, 'waits', 'wait')} for approval`,
  oldest: (at: Date, now: Date): string => `, the first asked ${time.relative(at, now)}`,
  quarantined: (found: UpTo): string => `${devices(found)} in quarantine`,
  evidence: (found: UpTo): string => `${devices(found)} with evidence of a clone`,
  withoutKey: (brand: string): string =>
    `The brand ${brand} has no key that can sign: no device gets a serial`,
  signingKey: (brand: string, end: Date, now: Date): string =>
    `The last signing key of ${brand} ends ${time.relative(end, now)}`,
  apiKeys: (model: string, keys: number): string => `${counted(keys, 'API key', 'API keys')} of ${model}`,
  apiKeysEnd: (keys: number, first: Date, now: Date): string =>
    keys === 1
      ? ` ends ${time.relative(first, now)}`
      : ` end within 30 days, the first ${time.relative(first, now)}`,
  tokens: (tokens: number, more: boolean): string =>
    `${more ? 'More than ' : ''}${counted(tokens, 'token ends', 'tokens end')} within 30 days`,
  tokensFirst: (first: Date, now: Date): string => `, the first ${time.relative(first, now)}`,
  jobs: (jobs: number): string => `${counted(jobs, 'job', 'jobs')} of the last 7 days failed or stopped`,
  signInLink: (username: string): string => `A link was made that signs in as ${username} without a password`,
  signInLinkAt: (at: Date, now: Date): string =>
    ` (${time.relative(at, now)}). If nobody here did that, somebody else has access to the host.`,
  more: (left: number): string => `${number(left)} more of these`,

  plots: {
    registrations: (unit: Unit): string => `Registrations ${AN[unit]}`,
    'device-sessions': (unit: Unit): string => `Device sessions ${AN[unit]}`,
    'store-questions': (unit: Unit): string => `Questions from the store ${AN[unit]}`,
    'token-uses': (unit: Unit): string => `Token uses ${AN[unit]}`,
    logins: (unit: Unit): string => `Logins ${AN[unit]}`,
  },
  series: {
    serial: 'got a serial',
    waits: 'waits for approval',
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
  noRefusals: 'Nothing was refused in this time.',
  columns: { code: 'Code', number: 'Number', change: 'Change' },
  change: {
    unknown: 'no longer kept',
    same: 'as before',
    fresh: 'none before',
    times: (factor: number): string => `×${number(Math.round(factor))}`,
    by: (share: number): string => PERCENT.format(share),
  },
  countedTo: (at: Date): string => `Counted to ${CLOCK.format(at)} UTC. All nodes together.`,
} as const
