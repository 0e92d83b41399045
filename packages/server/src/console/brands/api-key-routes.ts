/** Routes for the API key pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import { refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { requireTyped } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { Fields } from '../../http/console/fields.ts'
import { may } from '../../web/console/may.ts'
import {
  apiKeysPage,
  labelOf,
  newApiKeyPage,
  revokeApiKeyPage,
  shownApiKeyPage,
} from '../../web/console/models/api-key-pages.ts'
import { modelPath } from '../../web/console/models/model-table.ts'
import { words } from '../../web/words/en.ts'
import { modelOf } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.apiKeys

export function apiKeyPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/models/:brand/:model/api-keys', async (asked) => {
    const { call, me, now, parameters, query } = asked
    const model = await modelOf(asked)
    const { api_keys: keys, next } = await call(api.apiKeys, {
      ...{ parameters, query: { cursor: query.get('cursor') } },
    })
    return apiKeysPage({ model, keys, next, query, now, mayManage: may(me, 'models:manage', model.brand_id) })
  })

  form('/models/:brand/:model/api-keys/new', {
    show: async (asked) => {
      const { call, parameters } = asked
      const model = await modelOf(asked)
      // Users without the permission are refused before they type.
      refuseBeforeTyping(asked.authority, 'models:manage', model.brand_id)
      const { api_keys: keys } = await call(api.apiKeys, { parameters, query: { limit: 1 } })
      return newApiKeyPage({ form: asked.form, model, isFirst: keys.length === 0 })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const body = { label: fields.get('label') ?? '', expires: endIn(fields), uses: usesIn(fields) }
      const { label, key } = await call(api.addApiKey, { parameters, body })
      if (key === null) throw new TypeError('The new API key has no text')
      return shownApiKeyPage({ model, label, key })
    },
  })

  form('/models/:brand/:model/api-keys/:id/revoke', {
    show: async (asked) => {
      const { call, parameters } = asked
      const model = await modelOf(asked)
      const key = await call(api.apiKey, { parameters })
      refuseBeforeTyping(asked.authority, 'models:manage', model.brand_id)
      return revokeApiKeyPage({ form: asked.form, model, key })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      requireTyped(fields, parameters['id'] ?? '')
      const model = await modelOf(asked)
      const key = await call(api.revokeApiKey, { parameters })
      return new GoTo(`${modelPath(model)}/api-keys`, text.revokedNotice(labelOf(key)))
    },
  })
}

/** Returns midnight UTC at the beginning of the day. Throws `invalid-field` for an invalid day. */
function endIn(fields: Fields): string | undefined {
  const day = fields.get('expires')
  if (day === undefined) return undefined
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(day)) return `${day}T00:00:00Z`
  throw invalidField(text.notADay, { field: 'expires' })
}

function usesIn(fields: Fields): number | undefined {
  const uses = fields.get('uses')
  if (uses === undefined) return undefined
  if (/^[0-9]{1,10}$/.test(uses)) return Number(uses)
  throw invalidField(text.notANumber, { field: 'uses' })
}
