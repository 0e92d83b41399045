/** Routes for the allow-list pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { requireTyped } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { Fields } from '../../http/console/fields.ts'
import { may } from '../../web/console/may.ts'
import {
  allowListPage,
  checkRemovalPage,
  type Entry,
  entryIn,
  removeAllowedPage,
  removeAllPage,
} from '../../web/console/models/allow-list-pages.ts'
import { modelName, modelPath, type Named } from '../../web/console/models/model-table.ts'
import { words } from '../../web/words/en.ts'
import { modelOf } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.allowList

export function allowListPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/models/:brand/:model/allow-list', async (asked) => {
    const { call, me, parameters, query } = asked
    const model = await modelOf(asked)
    const { entries, next } = await call(api.allowList, {
      parameters,
      query: { cursor: query.get('cursor') },
    })
    return allowListPage({
      ...{ form: asked.form, model, entries, next, query },
      isUsed: model.registration === 'allow-list',
      mayManage: may(me, 'models:manage', model.brand_id),
    })
  })

  form('/models/:brand/:model/allow-list/remove', {
    onlyReads: (fields) => fields.get('do') !== 'remove',
    show: async (asked) => {
      const model = await modelOf(asked)
      refuseBeforeTyping(asked.authority, 'models:manage', model.brand_id)
      // The selected entries stay selected if the user mistypes the number.
      const entries = asked.fields.all('entry').flatMap((value) => entryIn(value) ?? [])
      if (entries.length === 0) return removeAllowedPage({ form: asked.form, model })
      return checkRemovalPage({
        form: asked.form,
        model,
        entries,
        removed: await wouldRemove(asked, entries),
      })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const entries = entriesIn(fields)
      const removed = await wouldRemove(asked, entries)
      if (removed === 0) throw invalidField(text.noneMatches)
      if (fields.get('do') !== 'remove') {
        return checkRemovalPage({ form: asked.form, model, entries, removed })
      }
      const expected = Number(fields.get('expected'))
      if (expected !== removed) throw invalidField(text.changed(expected, removed), { field: 'typed' })
      requireTyped(fields, String(removed))
      const done = await call(api.removeAllowed, { parameters, body: { entries: [...entries] } })
      return new GoTo(listOf(model), text.removedNotice(done.removed))
    },
  })

  form('/models/:brand/:model/allow-list/remove-all', {
    isRecent: true,
    show: async (asked) => {
      const { call, parameters } = asked
      const model = await modelOf(asked)
      const { removed } = await call(api.removeAllowed, { parameters, body: { all: true }, dryRun: true })
      return removeAllPage({ form: asked.form, model, removed })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      requireTyped(fields, modelName(model))
      const { removed } = await call(api.removeAllowed, { parameters, body: { all: true } })
      return new GoTo(listOf(model), text.removedNotice(removed))
    },
  })
}

const listOf = (model: Named): string => `${modelPath(model)}/allow-list`

/** Returns the selected entries in the form. Throws `invalid-field` for an entry that cannot be read. */
const chosenIn = (fields: Fields): readonly Entry[] =>
  fields.all('entry').map((value) => {
    const entry = entryIn(value)
    if (!entry) throw invalidField(text.unreadable)
    return entry
  })

/** Returns the selected entries, or the one that the user typed. Throws `invalid-field` if there is none. */
function entriesIn(fields: Fields): readonly Entry[] {
  const chosen = chosenIn(fields)
  if (chosen.length > 0) return chosen
  const [serial = null, key = null] = [fields.get('serial'), fields.get('device_key_id')]
  if (serial === null && key === null) throw invalidField(text.chooseFirst, { field: 'serial' })
  return [{ serial, device_key_id: key }]
}

const wouldRemove = async (
  { call, parameters }: Pick<ConsoleAsked, 'call' | 'parameters'>,
  entries: readonly Entry[],
): Promise<number> =>
  (await call(api.removeAllowed, { parameters, body: { entries: [...entries] }, dryRun: true })).removed
