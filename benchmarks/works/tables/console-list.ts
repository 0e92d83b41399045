/** The console's list of devices: what its page asks the database for, and its markup. */
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import type { Me } from '@ratafia/api/schemas'
import { listedRecord } from '../../../packages/server/src/devices/administration/device-records.ts'
import { countDevices } from '../../../packages/server/src/devices/counts/count-devices.ts'
import { countsRecord } from '../../../packages/server/src/devices/counts/device-counts.ts'
import { listFleet } from '../../../packages/server/src/devices/fleet/list-fleet.ts'
import { NO_FIELDS } from '../../../packages/server/src/http/console/fields.ts'
import { devicesPage } from '../../../packages/server/src/web/console/devices/list-page.ts'
import { consolePage } from '../../../packages/server/src/web/console/layout.ts'
import type { Opened } from '../../data/opened.ts'

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
