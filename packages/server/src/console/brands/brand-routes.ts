/** The pages of brands and trust roots: request in, operations, page out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { brandPage } from '../../web/console/brands/brand-page.ts'
import { type Brand, type BrandsPage, brandsPage } from '../../web/console/brands/list-page.ts'
import { trustRootsPage } from '../../web/console/brands/trust-roots-page.ts'
import { may } from '../../web/console/may.ts'

const api = MANAGEMENT_OPERATIONS

/** As many brands as one request names. A page of 100 takes two. */
const AT_ONCE = 50
const MOST = 1000
/** On the page of a brand. */
const SHOWN = 50

export function brandPageRoutes({ page }: ConsoleRoutes): void {
  page('/brands', async ({ call, me, now, query }) => {
    const { brands, next } = await call(api.brands, { query: { cursor: query.get('cursor') } })
    return brandsPage({
      ...{ brands, next, query, now },
      ...(await belongingTo(brands, call)),
      may: {
        addModels: may(me, 'models:manage'),
        seeTrustRoots: may(me, 'roles:read'),
        seeAll: seesAll(me),
      },
    })
  })

  page('/brands/:brand', async ({ call, me, now, parameters }) => {
    const brand = await call(api.brand, { parameters })
    const only = { brand: [brand.account_id] }
    const keys = await call(api.signingKeys, { query: { ...only, limit: SHOWN } })
    const models = await call(api.models, { query: { ...only, limit: SHOWN } })
    return brandPage({
      ...{ brand, now, counts: await call(api.deviceCounts, { query: only }) },
      ...{ keys: keys.signing_keys, moreKeys: keys.next !== null },
      ...{ models: models.models, moreModels: models.next !== null },
      trustRoots: may(me, 'roles:read') ? (await call(api.trustRoots)).trust_roots : undefined,
      mayManage: may(me, 'models:manage', brand.account_id),
    })
  })

  page('/trust-roots', async ({ call }) => trustRootsPage((await call(api.trustRoots)).trust_roots))
}

/** Whether what belongs to no brand is theirs to see. */
const seesAll = ({ permissions }: ConsoleAsked['me']): boolean =>
  permissions.some(({ permission, brands }) => permission === 'models:read' && brands === null)

type Belonging = Pick<BrandsPage, 'models' | 'keys' | 'counts'>

/** How many models and devices they have, and their keys. */
async function belongingTo(brands: readonly Brand[], call: ConsoleAsked['call']): Promise<Belonging> {
  const models = new Map<string, number>()
  const keys: Belonging['keys'][number][] = []
  const counts: Belonging['counts']['counts'][number][] = []
  const ids = brands.map(({ account_id }) => account_id)
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const only = { brand: ids.slice(first, first + AT_ONCE), limit: MOST }
    const page = await call(api.models, { query: only })
    for (const id of only.brand) {
      const count = page.models.filter(({ brand_id }) => brand_id === id).length
      // Where there are more than were looked at, the last one that was may have more, and the others are not known.
      const isWhole = page.next === null || (count > 0 && page.models.at(-1)?.brand_id !== id)
      if (isWhole) models.set(id, count)
    }
    keys.push(...(await call(api.signingKeys, { query: only })).signing_keys)
    counts.push(...(await call(api.deviceCounts, { query: { brand: only.brand } })).counts)
  }
  return { models, keys, counts: { counts } }
}
