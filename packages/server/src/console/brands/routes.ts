/** Routes for the pages about brands, models, and the records that belong to them. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { mayForAll } from '../../web/console/may.ts'
import { hardwarePage } from '../../web/console/models/import-pages.ts'
import { allowListPageRoutes } from './allow-list-routes.ts'
import { apiKeyPageRoutes } from './api-key-routes.ts'
import { brandPageRoutes } from './brand-routes.ts'
import { importPageRoutes } from './import-routes.ts'
import { modelPageRoutes } from './model-routes.ts'
import { newModelPageRoutes } from './new-model-routes.ts'
import { policyPageRoutes } from './policy-routes.ts'
import { remodelPageRoutes } from './remodel-routes.ts'
import { signingKeyPageRoutes } from './signing-key-routes.ts'

const api = MANAGEMENT_OPERATIONS

function hardwarePageRoutes({ page }: ConsoleRoutes): void {
  page('/hardware-identities', async ({ call, me, query }) => {
    const { hardware_identities: identities, next } = await call(api.hardwareIdentities, {
      query: { cursor: query.get('cursor') },
    })
    return hardwarePage({ identities, next, query, mayImport: mayForAll(me, 'models:manage') })
  })
}

export function brandPages(pages: ConsoleRoutes): void {
  brandPageRoutes(pages)
  signingKeyPageRoutes(pages)
  newModelPageRoutes(pages)
  modelPageRoutes(pages)
  policyPageRoutes(pages)
  remodelPageRoutes(pages)
  apiKeyPageRoutes(pages)
  allowListPageRoutes(pages)
  hardwarePageRoutes(pages)
  importPageRoutes(pages)
}
