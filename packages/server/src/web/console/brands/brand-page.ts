/** The brand page: its account, its signing keys with their remaining life, notices, its models. */
import type { ModelRecordSchema, TrustRootsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf } from '../list.ts'
import { modelTable } from '../models/model-table.ts'
import { type Column, table } from '../table.ts'
import { day, instant } from '../time.ts'
import { countedAt, type DeviceCounts, devicesByStatus } from './devices-by-status.ts'
import { type Brand, nameOf } from './list-page.ts'
import { type SigningKey, signingKeyTable, signingNotice } from './signing-key-pages.ts'

const text = words.brands

export interface BrandPage {
  readonly brand: Brand
  readonly keys: readonly SigningKey[]
  readonly moreKeys: boolean
  readonly models: readonly Static<typeof ModelRecordSchema>[]
  readonly moreModels: boolean
  readonly counts: DeviceCounts
  /** The trust roots; undefined if the user may not see them. */
  readonly trustRoots: Static<typeof TrustRootsSchema>['trust_roots'] | undefined
  readonly mayManage: boolean
  readonly now: Date
}

export function brandPage(page: BrandPage): ConsoleContent {
  const { brand, keys, models, counts, mayManage, now } = page
  const id = brand.account_id
  const states = devicesByStatus(counts, ({ brand_id }) => brand_id === id, ['brand', id])
  const quarantined = counts.quarantined.devices
  return {
    title: nameOf(brand),
    section: 'brands',
    trail: [['/console/brands', text.title]],
    beside: mayManage && html`<a class="button push" href="/console/models/new">${text.addModel}</a>`,
    body: html`${signingNotice(keys, now)}
<div class="cols"><section class="card"><h2>${text.account}</h2><dl>
<dt>${text.accountId}</dt><dd class="mono">${id}</dd>
<dt>${text.added}</dt><dd>${instant(brand.added_at)}</dd></dl></section>
<section class="card"><h2>${text.devicesOf}</h2>
<p>${states.length > 0 ? states : html`<span class="quiet">${text.noDeviceYet}</span>`}${
      quarantined > 0 &&
      html`<a class="chip" href="${addressOf('/console/devices', [
        ['brand', id],
        ['quarantined', 'true'],
      ])}">${text.withStatus(quarantined, text.quarantined)}</a>`
    }</p>
${countedAt(counts)}</section></div>
${keysOf(page)}
<section class="card"><h2>${text.modelsOf}</h2>${
      models.length > 0
        ? modelTable({ models, counts })
        : html`<p>${text.noModel}</p>${mayManage && html`<p><a class="button primary" href="/console/models/new">${text.addModel}</a></p>`}`
    }${page.moreModels && html`<p><a href="${addressOf('/console/models', [['brand', id]])}">${text.moreModels}</a></p>`}</section>
${page.trustRoots && rootsOf(page.trustRoots)}`,
  }
}

const keysOf = ({ brand, keys, moreKeys, mayManage, now }: BrandPage): Html => html`
<section class="card"><h2>${words.signingKeys.title}</h2>${
  keys.length > 0 && signingKeyTable({ keys, now, mayDisable: () => mayManage })
}${
  moreKeys &&
  html`<p><a href="${addressOf('/console/signing-keys', [['brand', brand.account_id]])}">${words.signingKeys.more}</a></p>`
}
<p class="quiet">${text.addedOn} <code>${words.signingKeys.addCommand}</code></p></section>`

const rootsOf = (roots: readonly TrustRoot[]): Html => html`
<section class="card"><h2>${words.trustRoots.title}</h2>
<p class="quiet">${words.trustRoots.what} <code>${words.trustRoots.commands}</code></p>
${table<TrustRoot>({ label: words.trustRoots.label, rows: roots.slice(0, 10), columns: trustRootColumns })}
${roots.length > 10 && html`<p><a href="/console/trust-roots">${words.trustRoots.all(roots.length)}</a></p>`}</section>`

export type TrustRoot = Static<typeof TrustRootsSchema>['trust_roots'][number]

const trustRootColumns: readonly Column<TrustRoot>[] = [
  {
    label: words.trustRoots.columns.account,
    cell: ({ display_name, account_id }) =>
      html`${visibleText(display_name, 64)}<br><code class="quiet">${visibleText(account_id, 64)}</code>`,
  },
  {
    label: words.trustRoots.columns.key,
    cell: ({ key_name, key_id }) =>
      html`${visibleText(words.signingKeys.name(key_name), 64)}<br><code class="quiet" title="${key_id}">${key_id.slice(0, 12)}…</code>`,
  },
  {
    label: words.trustRoots.columns.origin,
    cell: ({ origin }) => (origin === 'built in' ? words.trustRoots.builtIn : words.trustRoots.added),
  },
  { label: words.trustRoots.columns.since, isOptional: true, cell: ({ since }) => day(since) },
  {
    label: words.trustRoots.columns.until,
    cell: ({ until }) =>
      until === null ? html`<span class="quiet">${words.trustRoots.noEnd}</span>` : day(until),
  },
]

export const trustRootsPage = (roots: readonly TrustRoot[]): ConsoleContent => ({
  title: words.trustRoots.title,
  section: 'brands',
  trail: [['/console/brands', words.brands.title]],
  body: html`<div class="card"><p>${words.trustRoots.what} <code>${words.trustRoots.commands}</code></p>
${
  roots.length === 0
    ? html`<p><strong>${words.trustRoots.empty}</strong></p>`
    : table<TrustRoot>({ label: words.trustRoots.label, rows: roots, columns: trustRootColumns })
}</div>`,
})
