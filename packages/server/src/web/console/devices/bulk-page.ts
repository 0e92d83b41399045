/** The preview of a decision about many devices, before its job is created (contract/administration.md, C7). */
import type { JobPreviewSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, textField, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf, type Entry } from '../list.ts'
import { table } from '../table.ts'
import { addressOfDevice, type Device, modelOf, nameOf } from './device.ts'

export const BULK_VERBS = ['approve', 'reject', 'release', 'revoke'] as const
export type BulkVerb = (typeof BULK_VERBS)[number]

export type JobPreview = Static<typeof JobPreviewSchema>

export interface BulkPage {
  readonly form: FormState
  readonly verb: BulkVerb
  readonly preview: JobPreview
  /** The first devices, without those that no longer exist. */
  readonly first: readonly Device[]
  /** The parameters in the URL. */
  readonly query: { readonly entries: readonly Entry[] }
  /** The filters that selected the devices; undefined if the user selected them one by one. */
  readonly filters: readonly Entry[] | undefined
}

const text = words.devices.bulk
const PATH = '/console/devices'

/** Whether the user has to type the number of devices: the decision cannot be undone, or a filter selected them. */
export const takesNumber = (verb: BulkVerb, isFiltered: boolean): boolean => verb === 'revoke' || isFiltered

export function bulkPage(page: BulkPage): ConsoleContent {
  const { verb, preview } = page
  return {
    title: text.titles[verb](preview.total),
    section: 'devices',
    isNarrow: true,
    trail: [[PATH, words.devices.title]],
    body:
      preview.total === 0
        ? html`<div class="card"><p>${text.none}</p><p><a href="${backTo(page)}">${text.back}</a></p></div>`
        : html`<div class="card">${whatWould(page)}</div>${decision(page)}`,
  }
}

function whatWould(page: BulkPage): Html {
  const { verb, preview, filters } = page
  const { done, unchanged, refused, examined, total } = preview
  return html`<p><strong>${text.nothingYet}</strong> ${filters ? text.filtered : text.chosen(total)}
${filters?.map(([name, value]) => html`<span class="chip">${words.list.filter(name, visibleText(value, 64))}</span>`)}</p>
${examined < total && html`<p class="quiet">${text.examined(examined)}</p>`}
<ul><li>${text.would[verb](done)}</li>${unchanged > 0 && html`<li>${text.unchanged(unchanged)}</li>`}${
    refused > 0 && html`<li>${text.refused(refused)}</li>`
  }</ul>
<p>${text.first(preview.first.length)} ${names(page)}</p>
${filters && html`<p><a href="${addressOf(`${PATH}/export`, [...filters, ['format', 'csv']])}" download>${text.asCsv}</a></p>`}
${refused > 0 && refusals(preview)}`
}

function names({ preview, first }: BulkPage): Html[] {
  const known = new Map(first.map((device) => [device.id, device]))
  return preview.first.map((id, index) => {
    const device = known.get(id)
    const link = html`<a class="mono" href="${addressOfDevice(id)}">${device ? nameOf(device) : id}</a>`
    return html`${index > 0 && ', '}${link}${device && html` <span class="quiet">${modelOf(device)}</span>`}`
  })
}

const refusals = ({
  first_refused: rows,
}: JobPreview): Html => html`<details open><summary>${text.whyRefused}</summary>
${table({
  label: text.whyRefused,
  rows,
  columns: [
    {
      label: text.refusedColumns.device,
      cell: ({ subject }) => html`<a class="mono" href="${addressOfDevice(subject)}">${subject}</a>`,
    },
    { label: text.refusedColumns.why, cell: ({ message }) => visibleText(message, 300) },
  ],
})}</details>`

function decision(page: BulkPage): Html {
  const { form, verb, preview, query, filters } = page
  const isDanger = verb === 'revoke'
  return postForm(
    form,
    { action: addressOf(`${PATH}/bulk`, query.entries), class: 'card' },
    html`${hidden({ expected: String(preview.total) })}
${isDanger && html`<p class="notice bad">${text.undone}</p>`}
${verb === 'reject' && textField(form, { name: 'reason', label: text.reason, hint: text.reasonHint, required: true, maxlength: 200 })}
${isDanger && textField(form, { name: 'reason', label: text.reasonRevoke, hint: text.reasonHint, maxlength: 200 })}
${takesNumber(verb, filters !== undefined) && typedField(form, String(preview.total))}
${actions(submit({ label: text.do[verb], isDanger }), html`<a href="${backTo(page)}">${words.form.cancel}</a>`)}`,
  )
}

const backTo = ({ filters = [] }: Pick<BulkPage, 'filters'>): string => addressOf(PATH, filters)
