/** The API key pages of a model: the list, a new key that is shown once, and the revocation of a key. */
import type { ApiKeySchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, type FormState, postForm, submit, textField, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { shownOnce } from '../shown-once.ts'
import { orNever, relative, relativeDay, SOON_MS } from '../time.ts'
import { modelName, modelPath, modelTrail, type Named } from './model-table.ts'

export type ApiKey = Static<typeof ApiKeySchema>

const text = words.apiKeys

/** The key's label, with invisible characters made visible. */
export const labelOf = ({ label }: Pick<ApiKey, 'label'>): string => visibleText(label, 80)
const pathOf = (model: Named): string => `${modelPath(model)}/api-keys`
const trailOf = (model: Named): readonly (readonly [string, string])[] => [
  ...modelTrail(model),
  [pathOf(model), text.title],
]

export interface ApiKeysPage extends ListPage {
  readonly model: Named
  readonly keys: readonly ApiKey[]
  readonly mayManage: boolean
  readonly now: Date
}

export function apiKeysPage({ model, keys, next, query, mayManage, now }: ApiKeysPage): ConsoleContent {
  const path = pathOf(model)
  return {
    title: text.title,
    section: 'brands',
    trail: modelTrail(model),
    beside: mayManage && html`<a class="button primary push" href="${path}/new">${text.make}</a>`,
    body: html`<p class="mono">${modelName(model)}</p><p>${text.what}</p>${list<ApiKey>({
      ...{ path, query, rows: keys, next, label: text.label },
      empty: html`<p><strong>${text.none}</strong> ${text.emptyWhat}</p>
${mayManage && html`<p><a class="button primary" href="${path}/new">${text.emptyStep}</a></p>`}
<p class="quiet">${text.emptyCommand} <code>ratafia api-keys add ${modelName(model)} --help</code></p>`,
      columns: [
        {
          label: text.columns.key,
          cell: (key) =>
            html`<strong>${visibleText(key.label, 48)}</strong><br><code class="quiet">${key.id}</code>`,
        },
        { label: text.columns.state, cell: (key) => apiKeyState(key, now) },
        {
          label: text.columns.uses,
          isNumber: true,
          cell: ({ uses, use_limit }) => text.uses(uses, use_limit),
        },
        {
          label: text.columns.used,
          cell: ({ last_used_at }) => orNever(last_used_at, (at) => relative(at, now)),
        },
        {
          label: text.columns.ends,
          cell: ({ expires_at }) =>
            expires_at === null
              ? html`<span class="quiet">${text.noEnd}</span>`
              : relativeDay(expires_at, now),
        },
        {
          label: text.columns.actions,
          cell: ({ id, revoked_at }) =>
            revoked_at === null &&
            mayManage &&
            html`<a class="button small danger" href="${path}/${id}/revoke">${text.revoke}</a>`,
        },
      ],
    })}`,
  }
}

export function apiKeyState({ revoked_at, expires_at, uses, use_limit }: ApiKey, now: Date): Html {
  if (revoked_at !== null) return stateChip('off', text.revoked)
  const left = expires_at === null ? Infinity : Date.parse(expires_at) - now.getTime()
  if (left <= 0) return stateChip('off', text.expired)
  if (use_limit !== null && uses >= use_limit) return stateChip('off', text.usedUp)
  return left < SOON_MS ? stateChip('warn', text.endsSoon) : stateChip('good', text.active)
}

export interface NewApiKeyPage {
  readonly form: FormState
  readonly model: Named
  readonly isFirst: boolean
}

export const newApiKeyPage = ({ form, model, isFirst }: NewApiKeyPage): ConsoleContent => ({
  title: text.newTitle,
  section: 'brands',
  isNarrow: true,
  trail: trailOf(model),
  body: html`${isFirst && html`<p class="notice warn">${text.newFirst}</p>`}${postForm(
    form,
    { action: `${pathOf(model)}/new`, class: 'card' },
    html`${textField(form, { name: 'label', label: text.newLabel, hint: text.newLabelHint, required: true, maxlength: 200 })}
${textField(form, { name: 'expires', type: 'date', label: text.newEnds, hint: text.newEndsHint })}
${textField(form, { name: 'uses', label: text.newUses, hint: text.newUsesHint, size: 12, maxlength: 10 })}
${actions(submit({ label: text.newDo }), html`<a href="${pathOf(model)}">${words.form.cancel}</a>`)}`,
  )}`,
})

export interface ShownApiKeyPage {
  readonly model: Named
  readonly label: string
  /** The secret. */
  readonly key: string
}

/** Shows the key in each form that needs it. It needs no quoting: a key has only letters, digits, `_` and `-`. */
export const shownApiKeyPage = ({ model, label, key }: ShownApiKeyPage): ConsoleContent => ({
  title: text.shownTitle(labelOf({ label })),
  section: 'brands',
  trail: trailOf(model),
  body: html`<p class="notice warn" role="alert"><strong>${text.copyNow}</strong> ${text.copyWhy}</p>
${shownOnce({
  ...{ id: 'hook', title: text.gadget, note: text.gadgetNote(html`<code>${text.gadgetHook}</code>`) },
  value: `snapctl set device-service.headers='{"api-key": "${key}"}'`,
})}
${shownOnce({ id: 'header', title: text.header, value: `api-key: ${key}`, note: text.headerNote })}
${shownOnce({ id: 'demo', title: text.demo, value: text.demoCommand(key), note: text.demoNote })}
${shownOnce({ id: 'key', title: text.itself, value: key })}
<p><a class="button primary" href="${pathOf(model)}">${text.haveIt}</a></p>`,
})

export interface RevokeApiKeyPage {
  readonly form: FormState
  readonly model: Named
  readonly key: ApiKey
}

export const revokeApiKeyPage = ({ form, model, key }: RevokeApiKeyPage): ConsoleContent => ({
  title: text.revokeTitle,
  section: 'brands',
  isNarrow: true,
  trail: trailOf(model),
  body: html`<div class="card"><p><strong>${labelOf(key)}</strong> <code>${key.id}</code></p>
${
  key.revoked_at !== null
    ? html`<p class="notice good" role="status">${text.revokedBefore}</p>`
    : html`<p>${text.revokeWhat} ${text.revokeStill}</p><p>${text.revokeUsed(key.uses)}</p>${postForm(
        form,
        { action: `${pathOf(model)}/${key.id}/revoke` },
        html`${typedField(form, key.id)}${actions(
          submit({ label: text.revokeDo, isDanger: true }),
          html`<a href="${pathOf(model)}">${words.form.cancel}</a>`,
        )}`,
      )}`
}</div>`,
})
