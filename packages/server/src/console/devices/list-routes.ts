/**
 * Routes for the lists of devices and of evidence, and for their export. Their URLs have the parameters of the
 * operation unchanged, and some that are easier in a form: a day instead of its first instant, and how long ago a
 * device was seen. Unknown parameters stay, so that the operation refuses them.
 */
import { DeviceFilterSchema, MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { type Fields, midnightOf } from '../../http/console/fields.ts'
import { readParameters } from '../../http/management/query.ts'
import { clonesPage } from '../../web/console/devices/clones-page.ts'
import { devicesPage } from '../../web/console/devices/list-page.ts'
import type { Entry } from '../../web/console/list.ts'

const api = MANAGEMENT_OPERATIONS
const DAY_MS = 86_400_000
const DAYS: ReadonlySet<string> = new Set(['registered_since', 'registered_until', 'since'])

/** The filters use whole days, so that all pages of a list have the same filters during a day. */
const SEEN: Readonly<Record<string, (today: number) => Entry>> = {
  today: (today) => ['seen_since', iso(today)],
  '7d': (today) => ['seen_since', iso(today - 7 * DAY_MS)],
  'not-30d': (today) => ['seen_until', iso(today - 30 * DAY_MS)],
}

export function deviceListPageRoutes({ page, file }: ConsoleRoutes): void {
  page('/devices', async ({ call, query, me, now }) => {
    const [{ devices, next, examined }, counts] = await Promise.all([
      call(api.devices, { query: deviceQuery(query, now) }),
      call(api.deviceCounts),
    ])
    return devicesPage({ devices, next, examined, counts, query, me, now })
  })

  file('/devices/export', ({ call, query, now }) =>
    call(api.exportDevices, { query: deviceQuery(query, now, 'cursor', 'limit') }),
  )

  page('/clones', async ({ call, query, now }) => {
    const { evidence, next, examined } = await call(api.cloneEvidence, { query: deviceQuery(query, now) })
    return clonesPage({ evidence, next, examined, query, now })
  })
}

type Parameters = Readonly<Record<string, string | readonly string[]>>

/** Returns the operation's parameters, without those in `left` and without empty ones. */
export function deviceQuery(
  { entries }: Pick<Fields, 'entries'>,
  now: Date,
  ...left: readonly string[]
): Parameters {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const query = new Map<string, string[]>()
  for (const [field, text] of entries) {
    if (text.trim() === '' || left.includes(field)) continue
    const [name, value] = parameterOf(field, text.trim(), today)
    query.set(name, [...(query.get(name) ?? []), value])
  }
  return Object.fromEntries(
    [...query].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

function parameterOf(field: string, text: string, today: number): Entry {
  if (DAYS.has(field)) return [field, midnightOf(text)]
  const seen = field === 'seen' && Object.hasOwn(SEEN, text) ? SEEN[text] : undefined
  return seen?.(today) ?? [field, text]
}

const iso = (at: number): string => new Date(at).toISOString()

/** Returns the filter for the body of a job. Throws `RequestError` `invalid-field`. */
export const deviceFilter = (query: Parameters): Static<typeof DeviceFilterSchema> =>
  // The job's operation checks it by this schema.
  readParameters(query, DeviceFilterSchema.properties) as Static<typeof DeviceFilterSchema>
