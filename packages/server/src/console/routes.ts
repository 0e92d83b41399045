/** The console pages, noun by noun. */
import type { ConsoleRoutes } from '../http/console/console-routes.ts'
import { accountPageRoutes } from './accounts/account-routes.ts'
import { allTokenPageRoutes } from './accounts/all-token-routes.ts'
import { grantPageRoutes } from './accounts/grant-routes.ts'
import { auditPageRoutes } from './audit-routes.ts'
import { brandPages } from './brands/routes.ts'
import { deviceBulkPageRoutes } from './devices/bulk-routes.ts'
import { devicePageRoutes } from './devices/device-routes.ts'
import { deviceImportPageRoutes } from './devices/import-routes.ts'
import { deviceListPageRoutes } from './devices/list-routes.ts'
import { jobPageRoutes } from './job-routes.ts'
import { mePageRoutes } from './me-routes.ts'
import { overviewPageRoutes } from './overview-routes.ts'
import type { ManagerAuthority, OwnCredentials, OwnPublishers } from './own-credentials.ts'
import { publisherPageRoutes } from './publisher-routes.ts'
import { statusPageRoutes } from './status-routes.ts'
import { tokenPageRoutes } from './token-routes.ts'

export function consolePages(
  pages: ConsoleRoutes<ManagerAuthority>,
  { own, publishers }: { readonly own: OwnCredentials; readonly publishers: OwnPublishers },
): void {
  tokenPageRoutes(pages, own)
  mePageRoutes(pages, own)
  overviewPageRoutes(pages)
  publisherPageRoutes(pages, publishers)
  auditPageRoutes(pages)
  jobPageRoutes(pages)
  statusPageRoutes(pages)
  deviceBulkPageRoutes(pages)
  deviceImportPageRoutes(pages)
  deviceListPageRoutes(pages)
  devicePageRoutes(pages)
  accountPageRoutes(pages)
  grantPageRoutes(pages)
  allTokenPageRoutes(pages)
  brandPages(pages)
}
