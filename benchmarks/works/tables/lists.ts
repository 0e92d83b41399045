/** Measures the first and later pages of every filter and order of `GET /devices` among a million devices. */
import { COUNTER_PERIODS } from '@ratafia/api'
import { makeScene } from '../../../faults/load/scene.ts'
import { table } from '../../../faults/report.ts'
import { addressRange } from '../../../packages/server/src/addresses/address-classes.ts'
import { type Authority, directAuthority } from '../../../packages/server/src/authority.ts'
import { recountDevices } from '../../../packages/server/src/devices/counts/recount.ts'
import type {
  ListFilter,
  ListPosition,
  ListSort,
} from '../../../packages/server/src/devices/fleet/list-filter.ts'
import { listFleet } from '../../../packages/server/src/devices/fleet/list-fleet.ts'
import { keyOf } from '../../data/fleet.ts'
import { type Opened, opened } from '../../data/opened.ts'
import {
  fillSeenFleet,
  idOf,
  LARGE,
  LARGE_BLOCK,
  MIDDLE,
  NOW,
  RARE,
  SMALL,
  SMALL_BLOCK,
  serialAt,
} from '../../data/seen-fleet.ts'
import { percentile } from '../../harness/statistics.ts'
import { alone, atMost, type Figure } from '../../report/figure.ts'
import { DATABASES, newInstallation, removeInstallation } from '../../services/installation.ts'
import type { Run, Work } from '../work.ts'
import { consoleListPage, consoleOverview, fillCounters } from './console-overview.ts'

/** The target for a page of a list, in milliseconds. */
const MARK = 50
/** The target for a console page with such a list and its counts (contract/administration.md, C15). */
const PAGE_MARK = 100
/** The target for the console's overview, which counts nothing in large tables. */
const OVERVIEW_MARK = 50
const LIMIT = 100
/** The pages before the later one. */
const LATER = 5
/** The requests that don't count, because they compile code and fill caches. */
const WARM_UP = 3

const OPERATOR = directAuthority({ actor: 'operator', source: 'a benchmark' }, 'operator')
const of = (...brands: readonly string[]): Authority => ({ ...OPERATOR, scopeOf: () => new Set(brands) })

interface List {
  readonly filter?: ListFilter
  readonly sort?: ListSort
  readonly authority?: Authority
}

const DAY_MS = 86_400_000
const before = (days: number) => new Date(NOW - days * DAY_MS)
const block = (text: string) => ({ addresses: [addressRange(text) ?? { first: '', last: '' }] })

/** The lists by their parameters. */
const listsOf = (devices: number): Readonly<Record<string, List>> => ({
  'sort=-registered': {},
  'sort=registered': { sort: 'registered' },
  'sort=serial': { sort: 'serial' },
  'sort=-seen': { sort: '-seen' },
  'sort=seen': { sort: 'seen' },
  'sort=-evidence': { sort: '-evidence' },
  'id=': { filter: { id: idOf(devices >> 1, devices) as NonNullable<ListFilter['id']> } },
  'serial=': { filter: { serial: serialAt(devices >> 1) } },
  'key=': { filter: { deviceKeyId: keyOf(devices >> 1) } },
  'serial_prefix=, few': { filter: { serialPrefix: 'AC-0012' } },
  'serial_prefix=, many': { filter: { serialPrefix: 'AC-' } },
  'serial_prefix=, many, sort=serial': { filter: { serialPrefix: 'AC-' }, sort: 'serial' },
  'key_prefix=': { filter: { keyPrefix: keyOf(devices >> 1).slice(0, 3) } },
  ...Object.fromEntries(
    Object.entries(searchesOf(devices)).map(([name, search]) => [`q=, ${name}`, { filter: { search } }]),
  ),
  'q=, 3 characters, sort=serial': { filter: { search: '123' }, sort: 'serial' },
  'q=, 3 characters, sort=-seen': { filter: { search: '123' }, sort: '-seen' },
  'q=, 5 characters, brand=, small': { filter: { search: '12345', brands: [SMALL] } },
  'q=, in all of them, brand=, middle': { filter: { search: 'AC-', brands: [MIDDLE] } },
  'q=, in none, of one brand': { filter: { search: 'AC-x' }, authority: of(MIDDLE) },
  'q=, 3 characters, status=revoked': { filter: { search: '123', statuses: ['revoked'] } },
  'q=, 3 characters, status=active': { filter: { search: '123', statuses: ['active'] } },
  'brand=, large': { filter: { brands: [LARGE] } },
  'brand=, small': { filter: { brands: [SMALL] } },
  'brand=, small, sort=-seen': { filter: { brands: [SMALL] }, sort: '-seen' },
  'brand=, two of them': { filter: { brands: [LARGE, MIDDLE] } },
  'model=': { filter: { models: [{ brandId: LARGE, model: 'model-0' }] } },
  'model=, rare': { filter: { models: [RARE] } },
  'model=, rare, sort=-seen': { filter: { models: [RARE] }, sort: '-seen' },
  'status=pending': { filter: { statuses: ['pending'] } },
  'status=pending, sort=-seen': { filter: { statuses: ['pending'] }, sort: '-seen' },
  'status=revoked': { filter: { statuses: ['revoked'] } },
  'status=active': { filter: { statuses: ['active'] } },
  'status=active&status=revoked, sort=serial': {
    filter: { statuses: ['active', 'revoked'] },
    sort: 'serial',
  },
  'quarantined=true': { filter: { quarantined: true } },
  'quarantined=false, sort=seen': { filter: { quarantined: false }, sort: 'seen' },
  'evidence=true': { filter: { evidence: true } },
  'evidence=true, sort=-evidence': { filter: { evidence: true }, sort: '-evidence' },
  'evidence=true, sort=-seen': { filter: { evidence: true }, sort: '-seen' },
  'registered_since=, a day': { filter: { registeredSince: before(1) } },
  'registered_since=, two weeks, sort=-seen': { filter: { registeredSince: before(14) }, sort: '-seen' },
  'registered_until=': { filter: { registeredUntil: before(100) } },
  'registered_until=, sort=-seen': { filter: { registeredUntil: before(100) }, sort: '-seen' },
  'seen_since=, a day': { filter: { seenSince: before(1) } },
  'seen_since=, a day, sort=-seen': { filter: { seenSince: before(1) }, sort: '-seen' },
  'seen_until=, before the last day of all': { filter: { seenUntil: before(29.5) } },
  'seen_until=, sort=seen': { filter: { seenUntil: before(5) }, sort: 'seen' },
  'without_session=true': { filter: { withoutSession: true } },
  'session_since=, none': { filter: { sessionSince: before(1) } },
  'past_address=, none': { filter: { pastAddress: '203.0.113.1' } },
  'evidence_kind=, none': { filter: { evidenceKinds: ['two-chains'] } },
  'never_seen=true': { filter: { neverSeen: true } },
  'never_seen=true, sort=serial': { filter: { neverSeen: true }, sort: 'serial' },
  'address=, small block': { filter: block(SMALL_BLOCK) },
  'address=, small block, sort=-seen': { filter: block(SMALL_BLOCK), sort: '-seen' },
  'address=, large block': { filter: block(LARGE_BLOCK) },
  'address=, large block, sort=-seen': { filter: block(LARGE_BLOCK), sort: '-seen' },
  'decided_by=': { filter: { decidedBy: ['ada'] } },
  'decided_by=, unknown': { filter: { decidedBy: ['unknown'] } },
  'decided_by=, unknown, sort=serial': { filter: { decidedBy: ['unknown'] }, sort: 'serial' },
  'decided_by=, unknown, sort=-seen': { filter: { decidedBy: ['unknown'] }, sort: '-seen' },
  'origin=, sort=-seen': { filter: { origins: ['import'] }, sort: '-seen' },
  'of one brand': { authority: of(MIDDLE) },
  'of one brand, sort=-seen': { authority: of(MIDDLE), sort: '-seen' },
  'of a small brand, sort=-seen, address=': { authority: of(SMALL), sort: '-seen', filter: block('::/0') },
  'of two brands, decided_by=, unknown': { authority: of(LARGE, MIDDLE), filter: { decidedBy: ['unknown'] } },
  'of three brands, sort=seen': { authority: of(LARGE, MIDDLE, SMALL), sort: 'seen' },
})

/** The searches by name. Serials are AC- and ten digits. */
const searchesOf = (devices: number): Readonly<Record<string, string>> => ({
  'the beginning of all': 'AC-',
  'the beginning of few': 'AC-0012',
  '1 character': '7',
  '2 characters': '17',
  '2 characters, in none': 'x7',
  '3 characters': '123',
  '5 characters': '12345',
  '8 characters': serialAt(devices >> 1).slice(4, 12),
  '5 characters, in none': 'x1234',
  'parts that all have, in none': 'AC-C-0',
})

export const lists: Work = {
  name: 'lists',
  says: 'every filter and order of the devices that the management API lists, in a large register',
  async measure(run) {
    const devices = run.quick ? 10_000 : 1_000_000
    const scene = await makeScene({ people: 1, models: 1, keys: 1 })
    const figures: Figure[] = []
    for (const database of DATABASES) {
      run.say(`${database}: creating ${devices} devices`)
      const installation = await newInstallation(database, scene, run.directory)
      await fillSeenFleet(installation, devices)
      run.say(`${database}: lists`)
      const [times, pages, overviews] = await opened(installation, async (on) => [
        await timesOf(on, devices, run),
        await pageTimesOf(on, devices, run),
        await overviewTimesOf(on, run),
      ])
      await removeInstallation(installation)
      run.say(`${database}, milliseconds\n${shown(times)}`)
      for (const page of ['first', 'later'] as const) {
        const [slowest] = times.toSorted((a, b) => b[page].p95 - a[page].p95)
        const facts = {
          what: `slowest ${page} page of ${times.length} lists of ${devices} devices: ${slowest?.name}`,
          ...{ database, measure: 'p95 in ms', ours: slowest?.[page].p95 ?? Number.NaN },
          more: { lists: Object.fromEntries(times.map((time) => [time.name, time[page]])) },
        }
        figures.push(alone(facts, atMost(MARK)))
      }
      const [[page, slowest] = []] = Object.entries(pages).toSorted(([, a], [, b]) => b.p95 - a.p95)
      const facts = {
        what: `slowest console page of the same lists: ${page}`,
        ...{ database, measure: 'p95 in ms', ours: slowest?.p95 ?? Number.NaN, more: { pages } },
      }
      figures.push(alone(facts, atMost(PAGE_MARK)))
      const [[period, overview] = []] = Object.entries(overviews).toSorted(([, a], [, b]) => b.p95 - a.p95)
      const said = {
        what: `slowest period of the console overview of ${devices} devices: ${period}`,
        ...{ database, measure: 'p95 in ms', ours: overview?.p95 ?? Number.NaN, more: { overviews } },
      }
      figures.push(alone(said, atMost(OVERVIEW_MARK)))
    }
    return { figures, refusals: [] }
  },
}

interface Percentiles {
  readonly p50: number
  readonly p95: number
}

interface Times {
  readonly name: string
  readonly first: Percentiles
  readonly later: Percentiles
}

/** Measures the first console page of each list, with the counts above it and the markup. */
async function pageTimesOf(
  on: Opened,
  devices: number,
  run: Run,
): Promise<Readonly<Record<string, Percentiles>>> {
  await recountDevices({ ...on, goOn: async () => true })
  const times: Record<string, Percentiles> = {}
  for (const [name, list] of Object.entries(listsOf(devices))) {
    const { filter = {}, sort = '-registered', authority = OPERATOR } = list
    const listing = { authority, filter, sort, after: undefined, limit: LIMIT }
    times[name] = await percentilesOf(() => consoleListPage(listing, on), run)
  }
  return times
}

/** Measures the overview of each period, with pending work and the counters of a year. */
async function overviewTimesOf(on: Opened, run: Run): Promise<Readonly<Record<string, Percentiles>>> {
  await fillCounters(on)
  const times: Record<string, Percentiles> = {}
  for (const period of COUNTER_PERIODS) {
    times[period] = await percentilesOf(() => consoleOverview(period, OPERATOR, on), run)
  }
  return times
}

async function percentilesOf(work: () => Promise<unknown>, { pace }: Run): Promise<Percentiles> {
  const times: number[] = []
  for (let round = -WARM_UP; round < pace.rounds * 10; round++) {
    const began = performance.now()
    await work()
    if (round >= 0) times.push(performance.now() - began)
  }
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

async function timesOf(on: Opened, devices: number, run: Run): Promise<readonly Times[]> {
  const all: Times[] = []
  for (const [name, list] of Object.entries(listsOf(devices))) {
    const page = (after: ListPosition | undefined) => {
      const { filter = {}, sort = '-registered', authority = OPERATOR } = list
      return listFleet({ authority, filter, sort, after, limit: LIMIT }, on)
    }
    const timed = (after: ListPosition | undefined) => percentilesOf(() => page(after), run)
    let later: ListPosition | undefined
    for (let pages = 0; pages < LATER; pages++) later = (await page(later)).next ?? later
    all.push({ name, first: await timed(undefined), later: await timed(later) })
  }
  return all
}

function shown(times: readonly Times[]): string {
  const of = ({ p50, p95 }: Percentiles) => [p50.toFixed(1), p95.toFixed(1)]
  return table([
    ['list', 'first: p50', 'p95', 'later: p50', 'p95'],
    ...times.map(({ name, first, later }) => [name, ...of(first), ...of(later)]),
  ])
}
