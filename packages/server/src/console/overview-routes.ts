/** The route for the overview. */
import type { ManagementPermission } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../http/console/asked.ts'
import type { ConsoleRoutes } from '../http/console/console-routes.ts'
import { mayForAll } from '../web/console/may.ts'
import { overviewPage } from '../web/console/overview/overview-page.ts'

const api = MANAGEMENT_OPERATIONS

/** How often each process stores its counts. */
const STORED_MS = 60_000
/** The number of brands in the select, at most. */
const MOST_BRANDS = 50

export function overviewPageRoutes({ page }: ConsoleRoutes): void {
  page('/overview', async (asked) => {
    const { call, query, me, now } = asked
    const brand = query.get('brand')
    const period = query.get('period') ?? '30d'
    const isWhole = brand === undefined && mayForAll(me, 'status:read')
    const [attention, counters, status, brands] = await Promise.all([
      call(api.attention, { query: { brand } }),
      call(api.counters, { query: { brand, period, previous: 'true' } }),
      isWhole ? call(api.status) : undefined,
      brandsToChoose(asked),
    ])
    return overviewPage({
      ...{ attention, counters, brands, query, now },
      findings: status?.findings ?? [],
      countedTo: new Date(now.getTime() - STORED_MS),
    })
  })
}

/** Returns the brands that the user has the permission for; null for all, undefined for none. */
const brandsSeen = (
  { me }: Pick<ConsoleAsked, 'me'>,
  wanted: ManagementPermission,
): readonly string[] | null | undefined =>
  me.permissions.find(({ permission }) => permission === wanted)?.brands

async function brandsToChoose(asked: ConsoleAsked): Promise<readonly string[] | undefined> {
  const own = brandsSeen(asked, 'devices:read')
  if (own) return own.length > MOST_BRANDS ? undefined : own
  if (brandsSeen(asked, 'models:read') === undefined) return undefined
  const { brands, next } = await asked.call(api.brands, { query: { limit: String(MOST_BRANDS) } })
  return next === null ? brands.map(({ account_id: id }) => id) : undefined
}
