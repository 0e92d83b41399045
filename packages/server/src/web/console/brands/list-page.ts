/** The list of the brands that the user sees: their models, devices, and whether their serials can be signed. */
import type { BrandRecordSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import { type ListPage, list } from '../list.ts'
import { type DeviceCounts, devicesInWords } from './devices-by-status.ts'
import { type SigningKey, signingState } from './signing-key-pages.ts'

export type Brand = Static<typeof BrandRecordSchema>

const text = words.brands

export interface BrandsPage extends ListPage {
  readonly brands: readonly Brand[]
  readonly now: Date
  /** The number of models by brand. A brand that is missing was not counted. */
  readonly models: ReadonlyMap<string, number>
  /** The keys by brand. For a brand that is missing, they are unknown. */
  readonly keys: ReadonlyMap<string, readonly SigningKey[]>
  readonly counts: Pick<DeviceCounts, 'counts'>
  readonly may: {
    readonly addModels: boolean
    readonly seeTrustRoots: boolean
    /** All brands, and the records that belong to no brand. */
    readonly seeAll: boolean
  }
}

export const brandsPage = (page: BrandsPage): ConsoleContent => ({
  title: text.title,
  section: 'brands',
  beside: html`<a class="push" href="/console/models">${text.models}</a>${page.may.seeAll && html` <a href="/console/hardware-identities">${text.hardware}</a>`}${
    page.may.seeTrustRoots && html` <a href="/console/trust-roots">${text.trustRoots}</a>`
  }${page.may.addModels && page.brands.length > 0 && html` <a class="button primary" href="/console/models/new">${text.addModel}</a>`}`,
  body: list<Brand>({
    ...{ path: '/console/brands', query: page.query, rows: page.brands, next: page.next, label: text.label },
    empty: emptyOf(page.may.seeAll),
    columns: [
      {
        label: text.columns.brand,
        cell: (brand) =>
          html`<a href="/console/brands/${encodeURIComponent(brand.account_id)}">${nameOf(brand)}</a><br><code class="quiet">${brand.account_id}</code>`,
      },
      {
        label: text.columns.models,
        isNumber: true,
        cell: ({ account_id }) => {
          const models = page.models.get(account_id)
          return models === undefined ? '–' : words.number(models)
        },
      },
      {
        label: text.columns.devices,
        cell: ({ account_id: id }) => devicesInWords(page.counts, ({ brand_id }) => brand_id === id),
      },
      {
        label: text.columns.signing,
        cell: ({ account_id }) => {
          const keys = page.keys.get(account_id)
          return keys ? signingState(keys, page.now) : '–'
        },
      },
    ],
  }),
})

/** The brand's name in its account assertion, or its id. */
export const nameOf = ({ account_id, display_name }: Brand): string =>
  visibleText(display_name === '' ? account_id : display_name, 64)

const emptyOf = (seesAll: boolean): Html =>
  seesAll
    ? html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p>${text.emptyCommand}</p><pre>ratafia brands add --account FILE --account-key FILE --signing-key FILE
ratafia brands create --help</pre>`
    : html`<p><strong>${text.emptyScoped}</strong> ${text.emptyScopedWhat}</p>`
