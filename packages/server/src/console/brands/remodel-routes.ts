/** Routes for the remodel pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { etagOf } from '../../http/management/etag.ts'
import { may } from '../../web/console/may.ts'
import { modelPath } from '../../web/console/models/model-table.ts'
import { remodelsPage, removeRemodelPage } from '../../web/console/models/remodel-pages.ts'
import { words } from '../../web/words/en.ts'
import { modelOf } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.remodels

export function remodelPageRoutes({ form }: ConsoleRoutes): void {
  form('/models/:brand/:model/remodels', {
    show: async (asked) => {
      const { call, me, parameters, query } = asked
      const model = await modelOf(asked)
      const { remodels, next } = await call(api.remodels, {
        parameters,
        query: { cursor: query.get('cursor') },
      })
      const mayManage = may(me, 'models:manage', model.brand_id)
      return remodelsPage({ form: asked.form, model, remodels, next, query, mayManage })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const { to } = await call(api.addRemodel, { parameters, body: { to: fields.get('to') ?? '' } })
      return new GoTo(`${modelPath(model)}/remodels`, text.addedNotice(to))
    },
  })

  form('/models/:brand/:model/remodels/:to_brand/:to_model/remove', {
    show: async (asked) => {
      const { call, parameters } = asked
      const model = await modelOf(asked)
      const remodel = await call(api.removeRemodel, { parameters, dryRun: true })
      return removeRemodelPage({ form: asked.form, model, remodel, etag: etagOf(remodel) })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const { to } = await call(api.removeRemodel, { parameters, ifMatch: seenIn(fields) })
      return new GoTo(`${modelPath(model)}/remodels`, text.removedNotice(to))
    },
  })
}
