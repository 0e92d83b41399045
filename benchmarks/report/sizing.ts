/** Computes the cores and the disk space that a number of devices needs, from the measured cost of requests. */
import type { NewestRuns } from './results.ts'
import { short } from './table.ts'

/** The cost of each request, or group of requests, in milliseconds of CPU and in statements. */
interface Cost {
  readonly cpu: number
  readonly databaseCpu: number
  readonly statements: number
}

/** The kinds of request, each with the work and the contender that measure it on PostgreSQL. */
const KINDS = [
  { says: '`whoami`, seen before', work: 'verify', contender: 'seen' },
  { says: '`whoami`, not seen before', work: 'verify', contender: 'fresh' },
  { says: '`GET /device-session`, seen before', work: 'requests', contender: 'GET device-session, seen' },
  { says: 'login by an agent, 5 requests', work: 'login', contender: 'login' },
  { says: 'exchange', work: 'exchange', contender: 'exchange' },
  { says: 'session, 2 requests', work: 'session', contender: 'session' },
  { says: 'refresh, 2 requests', work: 'session', contender: 'refresh' },
  { says: 'registration, 2 requests', work: 'registration', contender: 'registration' },
] as const

const DEVICES = [10_000, 100_000, 1_000_000]
const DAY_SECONDS = 86_400
/** A device's requests per day, and the factor for the busiest hour, as docs/reliability.md assumes. */
const REFRESHES = 1
const VERIFICATIONS = 20
const PEAK = 3
/** How many days sessions are kept after they expire. */
const KEPT_DAYS = 30

const MISSING = 'The newest result lacks'

export function sizingOf(results: NewestRuns): string {
  return `${perCore(results)}\n\n${perFleet(results)}`
}

/** Returns the requests per second that a core can serve if it does nothing else. */
function perCore(results: NewestRuns): string {
  const rows = KINDS.flatMap(({ says, work, contender }) => {
    const cost = costOf(results, work, contender)
    if (!cost) return []
    const { cpu, databaseCpu, statements } = cost
    const database = [aSecond(databaseCpu), short(statements)]
    return [`| ${[says, aSecond(cpu), ...database].join(' | ')} |`]
  })
  if (rows.length === 0) return `${MISSING} all works that determine the requests per core.`
  return [
    '| request | per second and node core | per second and PostgreSQL core | statements |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** Returns requests per second. A cost under a hundredth of a millisecond is the database's own housekeeping. */
const aSecond = (milliseconds: number): string =>
  milliseconds < 0.01 ? '–' : Math.round(1_000 / milliseconds).toLocaleString('en')

function perFleet(results: NewestRuns): string {
  const refresh = costOf(results, 'session', 'refresh')
  const registration = costOf(results, 'registration', 'registration')
  const first = 'device-session, first'
  const verificationCpu = operation(results, first, 'ms of node CPU')
  const verificationDatabase = operation(results, first, 'ms of PostgreSQL CPU')
  const registered = operation(results, 'registration: 2 requests', 'bytes stored')
  const refreshed = operation(results, 'refresh: 2 requests', 'bytes stored')
  if (!(refresh && registration && verificationCpu && verificationDatabase && registered && refreshed)) {
    return `${MISSING} \`session\`, \`registration\` or \`costs\`, which determine the cores for a number of devices.`
  }
  const perSecond = (devices: number, aDay: number) => (devices / DAY_SECONDS) * aDay * PEAK
  const cores = (devices: number, ofRefresh: number, ofVerification: number) =>
    (perSecond(devices, REFRESHES) * ofRefresh + perSecond(devices, VERIFICATIONS) * ofVerification) / 1_000
  const gigabytes = (bytes: number) => `${short(bytes / 1e9)} GB`
  const rows: readonly (readonly [string, (devices: number) => string])[] = [
    ['refreshes per second, peak', (devices) => short(perSecond(devices, REFRESHES))],
    ['verifications per second, peak', (devices) => short(perSecond(devices, VERIFICATIONS))],
    ['node cores, peak', (devices) => short(cores(devices, refresh.cpu, verificationCpu))],
    ['PostgreSQL cores, peak', (devices) => short(cores(devices, refresh.databaseCpu, verificationDatabase))],
    ['register and audit log', (devices) => gigabytes(devices * registered)],
    ['sessions', (devices) => gigabytes(devices * KEPT_DAYS * REFRESHES * refreshed)],
    [
      'in use on a day: the register, two sessions per device',
      (devices) => gigabytes(devices * (registered + 2 * refreshed)),
    ],
    [
      'registering all devices on one node core',
      (devices) => `${short((devices * registration.cpu) / 60_000)} minutes`,
    ],
  ]
  return [
    `| devices | ${DEVICES.map((devices) => devices.toLocaleString('en')).join(' | ')} |`,
    `|---|${DEVICES.map(() => '---|').join('')}`,
    ...rows.map(([says, of]) => `| ${[says, ...DEVICES.map(of)].join(' | ')} |`),
  ].join('\n')
}

const operation = ({ works }: NewestRuns, what: string, measure: string): number | undefined =>
  works['costs']?.figures.find((figure) => figure.what === what && figure.measure === measure)?.ours

/** Finds a contender's medians, which a figure keeps in `more` (see `detailsOf`). */
function costOf({ works }: NewestRuns, work: string, contender: string): Cost | undefined {
  const kept = works[work]?.figures
    .filter(({ database }) => database === 'postgres')
    .flatMap(({ more = {} }) => Object.values(more).flat())
  const found = kept?.find((each) => (each as { name?: string } | null)?.name === contender)
  return (found as { readonly median: Cost } | undefined)?.median
}
