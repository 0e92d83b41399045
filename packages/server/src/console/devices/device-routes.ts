/** Routes for the device pages. */
import type { ManagementPermission } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { etagOf } from '../../http/management/etag.ts'
import {
  approvePage,
  type DecisionPage,
  rejectPage,
  releasePage,
  revokePage,
} from '../../web/console/devices/decision-pages.ts'
import { addressOfDevice, nameOf, typedNameOf } from '../../web/console/devices/device.ts'
import { devicePage } from '../../web/console/devices/device-page.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.devices

/** The numbers of sessions on the device page: shown at first, read, and shown at most. */
const SESSIONS = { shown: 20, read: 100, most: 1000 } as const
/** The number of newest records of every other kind. */
const NEWEST = 20

export function devicePageRoutes({ page, form }: ConsoleRoutes): void {
  page('/devices/:id', async (asked) => {
    const { call, parameters, query, me, now, form: state } = asked
    const { device, etag } = await found(asked)
    const wanted = query.get('sessions')
    const limit = { limit: String(NEWEST) }
    const [activity, { sessions }, { registrations }, { assertions }, { evidence }, { history }] =
      await Promise.all([
        call(api.deviceActivity, { parameters }),
        call(api.deviceSessions, { parameters, query: { limit: wanted ?? String(SESSIONS.read) } }),
        call(api.deviceRegistrations, { parameters, query: limit }),
        call(api.deviceAssertions, { parameters, query: { limit: '3' } }),
        call(api.deviceEvidence, { parameters, query: limit }),
        call(api.deviceHistory, { parameters, query: limit }),
      ])
    const shown = wanted === undefined ? SESSIONS.shown : sessions.length
    return devicePage({
      ...{ form: state, me, now, device, etag, shown, older: olderThan(sessions.length, shown) },
      ...{ activity, sessions, registrations, assertions, evidence, history },
      areAllRegistrations: registrations.length < NEWEST,
    })
  })

  form('/devices/:id/approve', {
    show: async (asked) => approvePage(await foundFor('devices:decide', asked)),
    send: async (asked) => {
      const serial = asked.fields.get('serial')
      const device = await asked.call(api.approveDevice, { ...decided(asked), body: { serial } })
      return new GoTo(addressOfDevice(device.id), text.approved(nameOf(device)))
    },
  })

  form('/devices/:id/reject', {
    show: async (asked) => rejectPage(await foundFor('devices:decide', asked)),
    send: async (asked) => {
      const reason = asked.fields.get('reason') ?? ''
      const device = await asked.call(api.rejectDevice, { ...decided(asked), body: { reason } })
      return new GoTo(addressOfDevice(device.id), text.rejectedNotice(nameOf(device)))
    },
  })

  form('/devices/:id/release', {
    show: async (asked) => releasePage(await foundFor('devices:manage', asked)),
    send: async (asked) => {
      const device = await asked.call(api.releaseDevice, { ...decided(asked), body: {} })
      return new GoTo(addressOfDevice(device.id), text.released(nameOf(device)))
    },
  })

  form('/devices/:id/revoke', {
    show: async (asked) => {
      const { call, parameters, now } = asked
      const query = { limit: String(SESSIONS.read) }
      const [{ sessions }, page] = await Promise.all([
        call(api.deviceSessions, { parameters, query }),
        foundFor('devices:manage', asked),
      ])
      const count = sessions.filter(({ expires_at }) => new Date(expires_at) > now).length
      return revokePage({ ...page, alive: { count, more: count === SESSIONS.read } })
    },
    send: async (asked) => {
      requireTyped(asked.fields, typedNameOf((await found(asked)).device))
      const reason = asked.fields.get('reason')
      const device = await asked.call(api.revokeDevice, { ...decided(asked), body: { reason } })
      return new GoTo(addressOfDevice(device.id), text.revokedNotice(nameOf(device)))
    },
  })
}

/** Returns the device. Throws `no-such-record`. */
async function found({ call, parameters, form }: ConsoleAsked): Promise<DecisionPage> {
  const device = await call(api.device, { parameters })
  return { form, device, etag: etagOf(device) }
}

/** Returns the device if the user may decide about it. Throws `no-such-record` and `permission-denied`. */
async function foundFor(permission: ManagementPermission, asked: ConsoleAsked): Promise<DecisionPage> {
  const page = await found(asked)
  refuseBeforeTyping(asked.authority, permission, page.device.brand_id)
  return page
}

/** Limits the decision to the version that the user saw. */
const decided = ({ parameters, fields }: ConsoleAsked) => ({ parameters, ifMatch: seenIn(fields) })

function olderThan(read: number, shown: number): number | undefined {
  if (read > shown) return SESSIONS.read
  if (read === SESSIONS.read) return SESSIONS.most
  return undefined
}
