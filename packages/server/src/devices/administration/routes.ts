/** Devices in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { type Details, tried } from '../../change.ts'
import { instantField } from '../../http/management/instant-text.ts'
import { type AddManagementRoute, type Asked, seenAs } from '../../http/management/management-route.ts'
import { cursorOf, positionIn as partsIn } from '../../http/management/pages.ts'
import { Streamed } from '../../http/management/streamed.ts'
import type { Stores } from '../../stores.ts'
import { activityRecord } from '../activity/device-activity.ts'
import { countDevices, countsRecord } from '../counts/device-counts.ts'
import { rejectDevice, releaseDevice, revokeDevice } from '../decide.ts'
import { type DeviceDecision, findDevice } from '../find-device.ts'
import type { ListPosition, ListSort } from '../fleet/list-filter.ts'
import { listFleet } from '../fleet/list-fleet.ts'
import { approveDevice } from '../registration/approval/approve.ts'
import { fieldsOf } from '../transfer/device-record.ts'
import {
  activityOfDevice,
  assertionsOfDevice,
  evidenceOfDevice,
  historyOfDevice,
  registrationsOfDevice,
  sessionsOfDevice,
} from './device-parts.ts'
import { filterIn } from './device-query.ts'
import {
  assertionRecord,
  deviceSessionRecord,
  evidenceRecord,
  historyRecord,
  listedRecord,
  registrationRecord,
} from './device-records.ts'
import { exportFleet } from './export-fleet.ts'

export function deviceManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.devices, async ({ authority, query }) => {
    const { sort = '-registered', limit = 100 } = query
    const listing = {
      authority,
      filter: filterIn(query, instantField),
      sort,
      limit,
      after: positionIn(query, sort),
    }
    const { devices, next, examined } = await listFleet(listing, stores)
    return {
      devices: devices.map(listedRecord),
      next: next ? cursorOf([String(next.key), next.id], query) : null,
      ...(examined === undefined ? {} : { examined }),
    }
  })
  add(api.deviceCounts, async ({ authority, query }) =>
    countsRecord(await countDevices({ authority, brands: query.brand }, stores)),
  )
  add(api.exportDevices, async ({ authority, query }) => {
    const { format = 'ndjson', sort = '-registered', whole = false, ...filters } = query
    const asked = detailsOf({ format, sort, ...(whole ? { whole } : {}), ...filters })
    const wanted = { authority, filter: filterIn(filters, instantField), sort, format, whole, asked }
    const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
    return new Streamed(type, `devices.${format}`, await exportFleet(wanted, stores))
  })
  add(api.device, async ({ parameters, authority }) =>
    fieldsOf(await findDevice({ name: idIn(parameters), authority }, stores)),
  )
  add(api.deviceSessions, async (asked) => ({
    sessions: (await sessionsOfDevice(partOf(asked), stores)).map(deviceSessionRecord),
  }))
  add(api.deviceRegistrations, async (asked) => ({
    registrations: (await registrationsOfDevice(partOf(asked), stores)).map(registrationRecord),
  }))
  add(api.deviceAssertions, async (asked) => ({
    assertions: (await assertionsOfDevice(partOf(asked), stores)).map(assertionRecord),
  }))
  add(api.deviceEvidence, async (asked) => ({
    evidence: (await evidenceOfDevice(partOf(asked), stores)).map(evidenceRecord),
  }))
  add(api.deviceActivity, async (asked) =>
    activityRecord(
      await activityOfDevice({ name: idIn(asked.parameters), authority: asked.authority }, stores),
    ),
  )
  add(api.deviceHistory, async (asked) => ({
    history: (await historyOfDevice(partOf(asked), stores)).map(historyRecord),
  }))

  add(api.approveDevice, async (asked) => {
    const approval = { ...decisionOf(asked), serial: asked.body.serial, dryRun: asked.dryRun }
    return fieldsOf((await approveDevice(approval, stores)).device)
  })
  add(api.rejectDevice, async (asked) => {
    const { reason } = asked.body
    return fieldsOf((await rejectDevice({ ...decisionOf(asked), reason }, tried(asked, stores))).device)
  })
  add(api.revokeDevice, async (asked) => {
    const { reason } = asked.body
    return fieldsOf((await revokeDevice({ ...decisionOf(asked), reason }, tried(asked, stores))).device)
  })
  add(api.releaseDevice, async (asked) =>
    fieldsOf((await releaseDevice(decisionOf(asked), tried(asked, stores))).device),
  )
}

/** Returns the parameters as strings. */
const detailsOf = (parameters: object): Details =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))

interface AnyAsked extends Pick<Asked<typeof MANAGEMENT_OPERATIONS.device>, 'parameters' | 'authority'> {
  readonly ifMatch?: (record: object) => void
}

/** An invalid cursor starts from the first page. */
function positionIn(query: { readonly cursor?: string }, sort: ListSort): ListPosition | undefined {
  const [key, id] = partsIn(query, 2) ?? []
  if (key === undefined || id === undefined) return undefined
  if (sort === 'serial') return { key, id }
  return /^[0-9]{1,15}$/.test(key) ? { key: Number(key), id } : undefined
}

/** Accepts only the id: the meaning of a name can change, and BRAND/MODEL/SERIAL contains slashes. */
const idIn = ({ id = '' }: Readonly<Record<string, string>>): string => id

const partOf = ({
  parameters,
  authority,
  query,
}: AnyAsked & { readonly query: { readonly limit?: number } }) => ({
  name: idIn(parameters),
  authority,
  limit: query.limit ?? 100,
})

const decisionOf = (asked: AnyAsked): DeviceDecision => ({
  name: idIn(asked.parameters),
  authority: asked.authority,
  mustBeSeen: seenAs(asked, fieldsOf),
})
