/** The pages of hardware identities: request in, operation, page out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { mayForAll } from '../../web/console/may.ts'
import { hardwarePage } from '../../web/console/models/hardware-page.ts'

const api = MANAGEMENT_OPERATIONS

export function hardwarePageRoutes({ page }: ConsoleRoutes): void {
  page('/hardware-identities', async ({ call, me, query }) => {
    const { hardware_identities: identities, next } = await call(api.hardwareIdentities, {
      query: { cursor: query.get('cursor') },
    })
    return hardwarePage({ identities, next, query, mayImport: mayForAll(me, 'models:manage') })
  })
}
