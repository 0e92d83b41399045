/** Renders the console's overview: pending work, counters, markup; not the status, which reads no large table. */
import { COUNTERS, type CounterPeriod, MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import type { Me } from '@ratafia/api/schemas'
import { attentionStore } from '../../../packages/server/src/attention/attention-store.ts'
import { attentionRecord, readAttention } from '../../../packages/server/src/attention/read-attention.ts'
import type { Authority } from '../../../packages/server/src/authority.ts'
import { countersRecord, listCounts } from '../../../packages/server/src/counting/counts.ts'
import { listedRecord } from '../../../packages/server/src/devices/administration/device-records.ts'
import { countDevices, countsRecord } from '../../../packages/server/src/devices/counts/device-counts.ts'
import { listFleet } from '../../../packages/server/src/devices/fleet/list-fleet.ts'
import { NO_FIELDS } from '../../../packages/server/src/http/console/fields.ts'
import { devicesPage } from '../../../packages/server/src/web/console/devices/list-page.ts'
import { consolePage } from '../../../packages/server/src/web/console/layout.ts'
import { overviewPage } from '../../../packages/server/src/web/console/overview/overview-page.ts'
import type { Opened } from '../../data/opened.ts'

const HOUR_MS = 3_600_000
// The counters of a service that has run for a year: hours for 45 days, then days.
const HOURS = 45 * 24
const DAYS = 365

/** Adds the counters of a year. */
export async function fillCounters({ counts, clock }: Opened): Promise<void> {
  const hour = new Date(clock()).setUTCMinutes(0, 0, 0)
  const ats = [
    ...Array.from({ length: HOURS }, (_, index) => hour - index * HOUR_MS),
    ...Array.from({ length: DAYS - 45 }, (_, index) => hour - (45 + index) * 24 * HOUR_MS),
  ]
  for (const [name, labels = ['invalid-field', 'no-such-record', 'device-refused']] of Object.entries(
    COUNTERS,
  )) {
    for (const label of labels) {
      await counts.add(ats.map((at) => ({ name, brandId: '(all)', at, label, n: 1_000 })))
    }
  }
}

/** Returns the page of a period, for a user who can see everything. */
export async function consoleOverview(
  period: CounterPeriod,
  authority: Authority,
  on: Opened,
): Promise<string> {
  const brandId = undefined
  const [attention, counters] = await Promise.all([
    readAttention({ authority, brandId }, { ...on, attention: attentionStore(on.database) }),
    listCounts(
      { authority, brandId, name: undefined, period, previous: true },
      { ...on, counters: on.counts },
    ),
  ])
  const now = on.clock()
  const content = overviewPage({
    attention: attentionRecord(attention),
    counters: countersRecord(counters),
    ...{ findings: [], brands: undefined, countedTo: now, now },
    query: { entries: [], get: () => undefined },
  })
  return consolePage(content, { me: undefined, csrf: '', service: 'store.example.com', prefix: '' })
}

const ME: Me = {
  ...{ id: 'ada', username: 'ada', name: 'Ada', email: 'ada@example.org', session_id: '', expires: '' },
  ...{ signed_in: { with: 'browser', at: null, agent: null }, grants: [] },
  permissions: MANAGEMENT_PERMISSIONS.map((permission) => ({ permission, brands: null })),
}

export async function consoleListPage(listing: Parameters<typeof listFleet>[0], on: Opened): Promise<string> {
  const [{ devices, next, examined }, counts] = await Promise.all([
    listFleet(listing, on),
    countDevices({ authority: listing.authority, brands: undefined }, on),
  ])
  const content = devicesPage({
    ...{ devices: devices.map(listedRecord), next: next ? 'cursor' : null, examined },
    ...{ counts: countsRecord(counts), query: NO_FIELDS, me: ME, now: on.clock() },
  })
  return consolePage(content, { me: ME, csrf: 'csrf', service: 'a benchmark', prefix: '' })
}
