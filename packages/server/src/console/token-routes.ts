/** The pages of one's own tokens: request in, operation, page out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleRoutes } from '../http/console/console-routes.ts'
import { tokensPage } from '../web/console/token-pages.ts'

const api = MANAGEMENT_OPERATIONS

export function tokenPageRoutes({ page }: ConsoleRoutes): void {
  page('/tokens', async ({ call, query, now }) => {
    const asked = { state: query.get('state'), cursor: query.get('cursor') }
    const { tokens, next } = await call(api.myTokens, { query: asked })
    return tokensPage({ tokens, next, query, now })
  })
}
