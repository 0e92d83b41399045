/** The list of all signing keys, and the page that disables one. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterText, list, type Query } from '../list.ts'
import { keyName, type SigningKey, type SigningKeyTable, shortId, signingKeyColumns } from './signing-key.ts'

const text = words.signingKeys

interface SigningKeysPage extends Omit<SigningKeyTable, 'withBrand'> {
  readonly next: string | null
  readonly query: Query
}

export const signingKeysPage = ({ keys, next, query, ...how }: SigningKeysPage): ConsoleContent => ({
  title: text.title,
  section: 'brands',
  trail: [['/console/brands', words.brands.title]],
  body: list<SigningKey>({
    ...{ path: '/console/signing-keys', query, rows: keys, next, label: text.label },
    filters: filterText(query, { name: 'brand', label: text.filterBrand }),
    empty: html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p><p>${words.brands.addedOn} <code>${text.addCommand}</code></p>`,
    columns: signingKeyColumns({ ...how, withBrand: true }),
  }),
})

export interface DisableKeyPage {
  readonly form: FormState
  readonly key: SigningKey
  /** The models that have no other key. */
  readonly stopped: readonly string[]
  /** Whether the user wants to disable the key despite these models. */
  readonly isForced: boolean
}

/** The text that the user has to type. */
export const typedFor = (key: Pick<SigningKey, 'key_id'>): string => shortId(key)

export function disableKeyPage(page: DisableKeyPage): ConsoleContent {
  const { key, isForced } = page
  const brand = `/console/brands/${encodeURIComponent(key.account_id)}`
  return {
    title: isForced ? text.forceTitle : text.disableTitle,
    section: 'brands',
    isNarrow: true,
    trail: [
      ['/console/brands', words.brands.title],
      [brand, key.account_id],
    ],
    body: html`<div class="card"><p><strong>${keyName(key)}</strong> <code>${key.key_id}</code></p>
${key.disabled_at === null ? bodyOf(page, brand) : html`<p class="notice good" role="status">${text.disabledBefore}</p>`}</div>`,
  }
}

function bodyOf({ form, key, stopped, isForced }: DisableKeyPage, brand: string): Html {
  const first = stopped.slice(0, 20)
  const what = html`<p>${text.disableWhat} <code>ratafia signing-keys add</code></p>
${
  stopped.length === 0
    ? html`<p>${text.disableNone}</p>`
    : html`<p class="notice bad">${text.disableStops(stopped.length)}</p>
<ul>${first.map((name) => html`<li class="mono">${visibleText(name, 200)}</li>`)}</ul>
${stopped.length > first.length && html`<p>${text.andOthers(stopped.length - first.length)}</p>`}`
}`
  const cancel = html`<a href="${brand}">${words.form.cancel}</a>`
  const address = `/console/signing-keys/${key.key_id}`
  if (stopped.length > 0 && !isForced) {
    return html`${what}<p>${text.disableFirst} <code>${text.addCommand}</code></p>
<div class="actions"><a class="button danger" href="${address}/disable-anyway">${text.disableAnyway}</a>${cancel}</div>`
  }
  return html`${what}${postForm(
    form,
    { action: `${address}/${isForced ? 'disable-anyway' : 'disable'}` },
    html`${typedField(form, typedFor(key))}${actions(submit({ label: text.disableDo, isDanger: true }), cancel)}`,
  )}`
}
