/** The list of all signing keys, and the page that disables one. */
import type { SigningKeySchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import { actions, type FormState, postForm, submit, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { filterText, list, type Query } from '../list.ts'
import { type Column, table } from '../table.ts'
import { day, instant, relative, SOON_MS } from '../time.ts'

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

export type SigningKey = Static<typeof SigningKeySchema>

/** This many letters are enough to distinguish keys. */
const ID_LETTERS = 12

const shortId = ({ key_id }: Pick<SigningKey, 'key_id'>): string => key_id.slice(0, ID_LETTERS)
const keyName = ({ name }: SigningKey): string => visibleText(text.name(name), 64)

const signs = ({ state }: SigningKey): boolean => state === 'signs'
const endOf = ({ until }: SigningKey): number => (until === null ? Infinity : Date.parse(until))
const endsSoon = (key: SigningKey, now: Date): boolean => endOf(key) - now.getTime() < SOON_MS

/** Shows whether a brand has a usable key, and when the last one expires. */
export function signingState(keys: readonly SigningKey[], now: Date): Html {
  if (keys.length === 0) return stateChip('bad', text.none)
  const last = lastOf(keys)
  if (!last) return stateChip('bad', text.noneSigns)
  const { until } = last
  if (until === null) return stateChip('good', text.signs)
  return html`${stateChip(endsSoon(last, now) ? 'warn' : 'good', text.signs)}<br><span class="quiet">${text.ends} ${relative(until, now)}</span>`
}

/** Returns the usable key that expires last. */
const lastOf = (keys: readonly SigningKey[]): SigningKey | undefined =>
  keys
    .filter(signs)
    .reduce<SigningKey | undefined>(
      (last, key) => (last && endOf(last) >= endOf(key) ? last : key),
      undefined,
    )

/** A notice if the keys of a brand need attention; undefined if they do not. */
export function signingNotice(keys: readonly SigningKey[], now: Date): Html | undefined {
  const last = lastOf(keys)
  if (!last) return notice('bad', html`${text.notThere}`)
  if (last.until === null || !endsSoon(last, now)) return undefined
  return notice('warn', html`${text.endsSoon(relative(last.until, now))}`)
}

const notice = (tone: 'warn' | 'bad', what: Html): Html =>
  html`<p class="notice ${tone}" role="status"><strong>${what}</strong> ${text.advice}<br><code>${text.addCommand}</code></p>`

export interface SigningKeyTable {
  readonly keys: readonly SigningKey[]
  readonly now: Date
  /** Whether the user may disable a key of this brand. */
  readonly mayDisable: (brand: string) => boolean
  /** Whether to show the brand, for keys of several brands. */
  readonly withBrand?: boolean
}

export const signingKeyTable = ({ keys, ...how }: SigningKeyTable): Html =>
  table<SigningKey>({ label: text.label, rows: keys, columns: signingKeyColumns(how) })

const signingKeyColumns = ({
  now,
  mayDisable,
  withBrand = false,
}: Omit<SigningKeyTable, 'keys'>): readonly Column<SigningKey>[] => [
  {
    label: text.columns.key,
    cell: (key) => html`${keyName(key)}<br><code class="quiet" title="${key.key_id}">${shortId(key)}…</code>`,
  },
  ...(withBrand
    ? [
        {
          label: text.columns.brand,
          cell: ({ account_id }: SigningKey) =>
            html`<a href="/console/brands/${encodeURIComponent(account_id)}">${account_id}</a>`,
        },
      ]
    : []),
  {
    label: text.columns.state,
    cell: (key) =>
      html`${stateOf(key)}${key.fault !== null && key.disabled_at === null && html`<br><span class="quiet">${visibleText(key.fault, withBrand ? 120 : 300)}</span>`}`,
  },
  { label: text.columns.life, cell: (key) => lifeOf(key, now) },
  // The list of all keys has a hundred rows, and the brand page shows more.
  ...(withBrand
    ? []
    : [{ label: text.columns.added, isOptional: true, cell: ({ added_at }: SigningKey) => day(added_at) }]),
  {
    label: text.columns.actions,
    cell: (key) =>
      key.disabled_at === null &&
      mayDisable(key.account_id) &&
      html`<a class="button small danger" href="/console/signing-keys/${key.key_id}/disable">${text.disable}</a>`,
  },
]

function stateOf(key: SigningKey): Html {
  if (key.disabled_at !== null) return stateChip('off', text.disabled)
  return signs(key) ? stateChip('good', text.signs) : stateChip('bad', text.faulty)
}

/** Shows the remaining life in words, and as a bar between the key's first and last day. */
function lifeOf({ since, until, disabled_at }: SigningKey, now: Date): Html {
  if (disabled_at !== null) {
    return html`<span class="quiet">${text.disabledOn} ${instant(disabled_at)}</span>`
  }
  if (until === null) return html`<span class="quiet">${text.noEnd}</span>`
  const left = Date.parse(until) - now.getTime()
  const whole = since === null ? 0 : Date.parse(until) - Date.parse(since)
  const percent = whole > 0 ? Math.round((100 * Math.min(Math.max(left, 0), whole)) / whole) : 0
  return html`${left > 0 ? text.ends : text.ended} ${relative(until, now)}<br><span class="quiet">${day(until)}</span>${
    whole > 0 &&
    html`<progress max="100" value="${percent}" aria-label="${text.lifeLabel(percent)}"></progress>`
  }`
}
