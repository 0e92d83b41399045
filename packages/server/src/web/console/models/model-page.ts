/** The model page: its assertion, its policy with the risks, its devices, keys and lists. */
import type { AllowListSchema, ApiKeysSchema, RemodelsSchema, RemovedModelSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { countedAt, type DeviceCounts, devicesByStatus } from '../brands/devices-by-status.ts'
import { actions, type ChangeForm, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf } from '../list.ts'
import { instant } from '../time.ts'
import { apiKeyState } from './api-key-pages.ts'
import { assertionSays, type Model, policySays } from './model-says.ts'
import { brandTrail, modelName, modelPath, modelTrail } from './model-table.ts'

const text = words.models

export interface ModelPage {
  readonly model: Model
  readonly counts: DeviceCounts
  readonly apiKeys: Static<typeof ApiKeysSchema>
  readonly allowList: Static<typeof AllowListSchema>
  readonly remodels: Static<typeof RemodelsSchema>
  readonly mayManage: boolean
  readonly now: Date
}

export function modelPage(page: ModelPage): ConsoleContent {
  const { model, mayManage } = page
  const path = modelPath(model)
  return {
    title: modelName(model),
    section: 'brands',
    isMono: true,
    trail: brandTrail(model),
    beside: mayManage && html`<a class="button primary push" href="${path}/policy">${text.changePolicy}</a>`,
    body: html`${
      model.signer_fault !== null &&
      html`<p class="notice bad" role="status"><strong>${text.cannotSign}</strong> ${visibleText(model.signer_fault, 400)}<br>${words.signingKeys.advice}<br><code>${words.signingKeys.addCommand}</code></p>`
    }
<div class="cols"><section class="card"><h2>${text.policy}</h2>${policySays(model)}</section>
<section class="card"><h2>${text.says}</h2>${assertionSays(model)}
<p class="quiet">${text.fields.added} ${instant(model.added_at)}</p>${
      mayManage && html`<p><a class="button small" href="${path}/assertion">${text.newer}</a></p>`
    }</section></div>
<div class="cols">${devicesOf(page)}${apiKeysOf(page)}${allowListOf(page)}${remodelsOf(page)}</div>
${mayManage && html`<p><a class="button danger" href="${path}/remove">${text.remove}</a> <span class="quiet">${text.removeHint}</span></p>`}`,
  }
}

function devicesOf({ model, counts }: ModelPage): Html {
  const where = ['model', modelName(model)] as const
  const states = devicesByStatus(
    counts,
    (one) => one.brand_id === model.brand_id && one.model === model.model,
    where,
  )
  return html`<section class="card"><h2>${text.devices}</h2>
<p>${states.length > 0 ? states : html`<span class="quiet">${text.noDevices}</span>`}</p>${countedAt(counts)}
<p><a href="${addressOf('/console/devices', [where])}">${text.allDevices}</a></p></section>`
}

function apiKeysOf({ model, apiKeys: { api_keys: keys, next }, mayManage, now }: ModelPage): Html {
  const path = `${modelPath(model)}/api-keys`
  const shown = keys.filter(({ revoked_at }) => revoked_at === null).slice(0, 5)
  return html`<section class="card"><h2>${text.apiKeys}</h2>${
    keys.length === 0
      ? html`<p><strong>${words.apiKeys.none}</strong> ${words.apiKeys.noneOpen}</p>`
      : html`<p>${words.apiKeys.count(keys.length, next !== null)}</p><ul>${shown.map(
          (key) =>
            html`<li>${visibleText(key.label, 64)} ${apiKeyState(key, now)} <span class="quiet">${words.apiKeys.columns.uses}: ${words.apiKeys.uses(key.uses, key.use_limit)}</span></li>`,
        )}</ul>`
  }<p><a href="${path}">${text.apiKeysAll}</a>${
    mayManage && html` <a class="button small" href="${path}/new">${words.apiKeys.make}</a>`
  }</p></section>`
}

function allowListOf({ model, allowList: { entries, next }, mayManage }: ModelPage): Html {
  const path = `${modelPath(model)}/allow-list`
  return html`<section class="card"><h2>${text.allowList}</h2>
<p>${entries.length === 0 ? words.allowList.empty : words.allowList.count(entries.length, next !== null)}</p>
${model.registration !== 'allow-list' && html`<p class="quiet">${words.allowList.notUsed}</p>`}
<p><a href="${path}">${text.allowListOpen}</a>${
    mayManage && html` <a class="button small" href="${path}/import">${words.allowList.import}</a>`
  }</p></section>`
}

function remodelsOf({ model, remodels: { remodels, next } }: ModelPage): Html {
  return html`<section class="card"><h2>${text.remodels}</h2>${
    remodels.length === 0
      ? html`<p>${words.remodels.empty}</p>`
      : html`<p>${words.remodels.becomes}</p><ul>${remodels.slice(0, 5).map(({ to }) => html`<li class="mono">${visibleText(to, 200)}</li>`)}</ul>${
          (remodels.length > 5 || next !== null) && html`<p class="quiet">…</p>`
        }`
  }<p><a href="${modelPath(model)}/remodels">${text.remodelsAll}</a></p></section>`
}

/** The reason why it cannot be removed. */
interface StillNeeded {
  readonly message: string
  /** The kind of record that needs it. */
  readonly by: string
}

export interface RemoveModelPage extends ChangeForm {
  readonly model: Model
  readonly outcome: Static<typeof RemovedModelSchema> | StillNeeded
}

export const removeModelPage = (page: RemoveModelPage): ConsoleContent => ({
  title: text.removeTitle(modelName(page.model)),
  section: 'brands',
  isNarrow: true,
  trail: modelTrail(page.model),
  body: html`<div class="card">${'message' in page.outcome ? needed(page.model, page.outcome) : removal(page, page.outcome)}</div>`,
})

function needed(model: Model, { message, by }: StillNeeded): Html {
  const path = modelPath(model)
  return html`<p class="notice warn" role="status"><strong>${text.cannotRemove}.</strong> ${message}</p>
<div class="actions">${
    by === 'allow-list'
      ? html`<a class="button" href="${path}/allow-list/remove-all">${text.seeAllowList}</a>`
      : html`<a class="button" href="${addressOf('/console/devices', [['model', modelName(model)]])}">${text.seeDevices}</a><a href="${path}/policy">${text.seePolicy}</a>`
  }<a href="${path}">${words.form.cancel}</a></div>`
}

const removal = (
  { form, model, etag }: RemoveModelPage,
  { api_keys, remodels }: Static<typeof RemovedModelSchema>,
): Html => html`<p>${text.removeWhat} ${text.removeWith(api_keys, remodels)}</p>
${postForm(
  form,
  { action: `${modelPath(model)}/remove` },
  html`${hidden({ seen: etag })}${typedField(form, modelName(model))}${actions(
    submit({ label: text.removeDo, isDanger: true }),
    html`<a href="${modelPath(model)}">${words.form.cancel}</a>`,
  )}`,
)}`
