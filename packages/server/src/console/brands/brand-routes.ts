/** Routes for the brand and trust root pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { Authority } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { requireTyped } from '../../http/console/confirmation.ts'
import { type ConsoleForm, type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { brandPage, trustRootsPage } from '../../web/console/brands/brand-page.ts'
import { type Brand, type BrandsPage, brandsPage } from '../../web/console/brands/list-page.ts'
import {
  disableKeyPage,
  type SigningKey,
  signingKeysPage,
  typedFor,
} from '../../web/console/brands/signing-key-pages.ts'
import { may, mayForAll } from '../../web/console/may.ts'
import { words } from '../../web/words/en.ts'
import { deviceCountsOf } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS

/** The number of brands in one request. A page of 100 brands needs two requests. */
const AT_ONCE = 50
const MOST = 1000
/** The number of keys and of models on the brand page. */
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
        seeAll: mayForAll(me, 'models:read'),
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

type Belonging = Pick<BrandsPage, 'models' | 'keys' | 'counts'>

/** Returns the brands' numbers of models and devices, and their keys. */
async function belongingTo(brands: readonly Brand[], call: ConsoleAsked['call']): Promise<Belonging> {
  const models = new Map<string, number>()
  const keys = new Map<string, readonly SigningKey[]>()
  const ids = brands.map(({ account_id }) => account_id)
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const only = { brand: ids.slice(first, first + AT_ONCE), limit: MOST }
    const modelPage = await call(api.models, { query: only })
    const modelsOf = wholeOf(modelPage.models, modelPage.next, ({ brand_id }) => brand_id)
    const keyPage = await call(api.signingKeys, { query: only })
    const keysOf = wholeOf(keyPage.signing_keys, keyPage.next, ({ account_id }) => account_id)
    for (const id of only.brand) {
      const [itsModels, itsKeys] = [modelsOf(id), keysOf(id)]
      if (itsModels) models.set(id, itsModels.length)
      if (itsKeys) keys.set(id, itsKeys)
    }
  }
  return { models, keys, counts: await deviceCountsOf(ids, call) }
}

/**
 * Returns a function for all records of a brand in a page that is sorted by brand. It returns undefined if the page
 * may lack some of them: if there is another page, it may continue with the last brand, or with brands that this page
 * lacks.
 */
function wholeOf<Row>(rows: readonly Row[], next: string | null, brandOf: (row: Row) => string) {
  const byBrand = Map.groupBy(rows, brandOf)
  const last = rows.at(-1)
  return (brand: string): readonly Row[] | undefined => {
    const found = byBrand.get(brand)
    if (next === null) return found ?? []
    return last !== undefined && brandOf(last) === brand ? undefined : found
  }
}

const text = words.signingKeys

export function signingKeyPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/signing-keys', async ({ call, me, now, query }) => {
    const asked = { brand: query.get('brand'), cursor: query.get('cursor') }
    const { signing_keys: keys, next } = await call(api.signingKeys, { query: asked })
    return signingKeysPage({
      ...{ keys, next, query, now },
      mayDisable: (brand) => may(me, 'models:manage', brand),
    })
  })

  form('/signing-keys/:id/disable', disabling(false))
  form('/signing-keys/:id/disable-anyway', { ...disabling(true), isRecent: true })
}

const disabling = (force: boolean): ConsoleForm<Authority> => ({
  show: async (asked) => {
    const { call, form, parameters } = asked
    const key = await call(api.signingKey, { parameters })
    return disableKeyPage({ form, key, stopped: await stoppedBy(asked, force), isForced: force })
  },
  send: async ({ call, fields, parameters }) => {
    const key = await call(api.signingKey, { parameters })
    const expected = typedFor(key)
    requireTyped(fields, expected)
    await call(api.disableSigningKey, { parameters, body: force ? { force } : {} })
    const brand = `/console/brands/${encodeURIComponent(key.account_id)}`
    return new GoTo(brand, text.disabledNotice(`${expected}…`))
  },
})

/** Returns the models that would have no other key. */
async function stoppedBy(
  { call, parameters }: Pick<ConsoleAsked, 'call' | 'parameters'>,
  force: boolean,
): Promise<readonly string[]> {
  try {
    const body = force ? { force } : {}
    return (await call(api.disableSigningKey, { parameters, body, dryRun: true })).stopped_models
  } catch (error) {
    if (!(error instanceof RequestError && error.code === 'still-referenced')) throw error
    const { by } = error.extra
    return Array.isArray(by) ? by.map(String) : []
  }
}
