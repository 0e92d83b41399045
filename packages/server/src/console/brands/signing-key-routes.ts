/** Routes for the signing key pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { Authority } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { requireTyped } from '../../http/console/confirmation.ts'
import { type ConsoleForm, type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { disableKeyPage, signingKeysPage, typedFor } from '../../web/console/brands/signing-key-pages.ts'
import { may } from '../../web/console/may.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
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
