/** The caller's browsers in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../../change.ts'
import type { AddManagementRoute } from '../../http/management/management-route.ts'
import type { Stores } from '../../stores.ts'
import { endBrowser, endBrowsers } from './end-browsers.ts'
import { browserRecord, listBrowsers } from './list-browsers.ts'

export function browserManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.myBrowsers, async ({ authority }) => ({
    browsers: (await listBrowsers({ authority }, stores)).map(browserRecord),
  }))
  add(api.endMyBrowser, async (asked) => {
    const { authority, parameters } = asked
    return browserRecord(await endBrowser({ authority, id: parameters['id'] ?? '' }, tried(asked, stores)))
  })
  add(api.endMyBrowsers, async (asked) =>
    endBrowsers({ authority: asked.authority, allBut: asked.body?.all_but ?? [] }, tried(asked, stores)),
  )
}
