/** The pages of brands, models and what belongs to them. */
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { allowListPageRoutes } from './allow-list-routes.ts'
import { apiKeyPageRoutes } from './api-key-routes.ts'
import { brandPageRoutes } from './brand-routes.ts'
import { hardwarePageRoutes } from './hardware-routes.ts'
import { importPageRoutes } from './import-routes.ts'
import { modelPageRoutes } from './model-routes.ts'
import { newModelPageRoutes } from './new-model-routes.ts'
import { policyPageRoutes } from './policy-routes.ts'
import { remodelPageRoutes } from './remodel-routes.ts'
import { signingKeyPageRoutes } from './signing-key-routes.ts'

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
