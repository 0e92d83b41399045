/** The list of devices: counts, filters, and the actions for selected devices. */
import {
  DEVICE_SORTS,
  DEVICE_STATUS_NAMES,
  type DeviceCountsSchema,
  type DevicesQuerySchema,
  type Me,
} from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import {
  addressOf,
  filterCheck,
  filterSelect,
  filterText,
  list,
  moreFilters,
  type Query,
  without,
} from '../list.ts'
import { may } from '../may.ts'
import { orNever, relative } from '../time.ts'
import { BULK_VERBS, type BulkVerb } from './bulk-page.ts'
import { canBeApproved, canBeReleased, canBeRevoked, waits } from './decision-pages.ts'
import { addressOfDevice, deviceChip, type ListedDevice, modelOf, serialOf } from './device.ts'

const text = words.devices
const PATH = '/console/devices'
/** The number of models in the select. With more, users type the model's name. */
const MOST_MODELS = 100

export interface DevicesPage {
  readonly devices: readonly ListedDevice[]
  readonly next: string | null
  readonly examined: number | undefined
  readonly counts: Static<typeof DeviceCountsSchema>
  /** The parameters in the URL. */
  readonly query: Query & { all(name: string): readonly string[] }
  readonly me: Me
  readonly now: Date
}

export const devicesPage = (page: DevicesPage): ConsoleContent => ({
  title: text.title,
  section: 'devices',
  beside: beside(page),
  body: list<ListedDevice>({
    ...{ path: PATH, label: text.label, rows: page.devices, next: page.next, examined: page.examined },
    ...{ query: page.query, filters: filters(page), empty: empty(page) },
    searched: searched(page.query.get('q')),
    caption: text.sorts[sortOf(page.query)],
    ...(verbsFor(page).length > 0 && {
      choose: { form: 'bulk', name: 'id', value: ({ id }: ListedDevice) => id, label: serialOf },
      below: below(page),
    }),
    columns: [
      {
        label: text.columns.serial,
        cell: (one) =>
          html`<a class="mono" href="${addressOfDevice(one.id)}">${serialOf(one)}</a> ${registeredOn(one)}`,
      },
      { label: text.columns.model, cell: modelOf },
      {
        label: text.columns.status,
        cell: (one) => html`${deviceChip(one)}${one.evidence_at !== null && stateChip('bad', text.evidence)}`,
      },
      {
        label: text.columns.seen,
        cell: ({ last_seen_at, last_address }) =>
          html`${orNever(last_seen_at, (at) => relative(at, page.now))}${last_address !== null && html`<br>${visibleText(last_address, 64)}`}`,
      },
    ],
  }),
})

const searched = (part: string | undefined): string | undefined =>
  part && text.searched(visibleText(part, 64))

/** The markup is short, because a page has a hundred of them. */
const registeredOn = ({ registered_at: at }: ListedDevice): Html =>
  html`<time class="quiet" datetime="${at.slice(0, 10)}">${words.time.day(new Date(at))}</time>`

type Sort = NonNullable<Static<typeof DevicesQuerySchema>['sort']>
const sortOf = (query: Query): Sort =>
  DEVICE_SORTS.find((sort) => sort === query.get('sort')) ?? '-registered'

function beside({ counts, query, me }: DevicesPage): Html {
  const shown = without(query, 'cursor', 'limit')
  const { devices, waiting, quarantined } = counts
  return html`<span class="quiet">${counts.counted_at !== null && html`${text.total(devices)} · `}<a href="${PATH}?status=pending">${text.waiting(
    waiting,
  )}</a> · <a href="${PATH}?quarantined=true">${text.inQuarantine(quarantined)}</a> · <a href="${PATH}?evidence=true&amp;sort=-evidence">${text.withEvidence}</a></span>
<a class="button small push" href="${addressOf(`${PATH}/export`, [...shown, ['format', 'csv']])}" download>${text.exportCsv}</a>
<a class="button small" href="${addressOf(`${PATH}/export`, [...shown, ['format', 'ndjson']])}" download>${text.exportLines}</a>
${may(me, 'devices:manage') && html`<a class="button small" href="${PATH}/import">${text.import}</a>`}`
}

const MORE = [
  'registered_since',
  'registered_until',
  'address',
  'origin',
  'quarantined',
  'evidence',
  'never_seen',
] as const
const FIELDS: readonly string[] = ['q', 'model', 'status', 'seen', 'sort', ...MORE]

function filters({ query, counts }: DevicesPage): Html {
  const label = text.filters
  return html`${filterText(query, { name: 'q', label: label.q, size: 20 })}
${modelFilter(query, counts)}
${filterSelect(query, {
  name: 'status',
  label: label.status,
  choices: [
    { value: '', label: label.anyStatus },
    ...DEVICE_STATUS_NAMES.map((status) => ({ value: status, label: text.statuses[status] })),
  ],
})}
${filterSelect(query, {
  name: 'seen',
  label: label.seen,
  choices: [
    { value: '', label: label.seenAny },
    { value: 'today', label: label.seenToday },
    { value: '7d', label: label.seenWeek },
    { value: 'not-30d', label: label.unseenMonth },
  ],
})}
${filterSelect(query, {
  name: 'sort',
  label: label.sort,
  choices: DEVICE_SORTS.map((sort) => ({
    value: sort === '-registered' ? '' : sort,
    label: text.sorts[sort],
  })),
})}
${moreFilters(
  query,
  MORE,
  html`${filterText(query, { name: 'registered_since', label: label.registeredSince, type: 'date' })}
${filterText(query, { name: 'registered_until', label: label.registeredUntil, type: 'date' })}
${filterText(query, { name: 'address', label: label.address })}
${filterSelect(query, {
  name: 'origin',
  label: label.origin,
  choices: [
    { value: '', label: label.anyOrigin },
    ...(['registration', 'session', 'import'] as const).map((origin) => ({
      value: origin,
      label: text.origins[origin],
    })),
  ],
})}
${filterCheck(query, { name: 'quarantined', label: label.quarantined })}
${filterCheck(query, { name: 'evidence', label: label.evidence })}
${filterCheck(query, { name: 'never_seen', label: label.neverSeen })}`,
)}
${otherFilters(query)}`
}

/** A filter with all models that had devices at the last count, and the model in the URL. */
function modelFilter(query: Query, { counts }: DevicesPage['counts']): Html {
  const names = [...new Set(counts.map(({ brand_id, model }) => `${brand_id}/${model}`))].sort()
  const asked = query.get('model')
  if (names.length === 0 || names.length > MOST_MODELS) {
    return filterText(query, { name: 'model', label: `${text.filters.model} (${text.filters.anyModelHint})` })
  }
  const all = asked === undefined || names.includes(asked) ? names : [...names, asked]
  return filterSelect(query, {
    name: 'model',
    label: text.filters.model,
    choices: [
      { value: '', label: text.filters.anyModel },
      ...all.map((name) => ({ value: name, label: visibleText(name, 60) })),
    ],
  })
}

/** Keeps filters in the URL that have no field, when the user changes the others. */
function otherFilters(query: Query): Html | undefined {
  const others = without(query, 'cursor', 'limit', ...FIELDS)
  if (others.length === 0) return undefined
  return html`<p class="quiet">${text.filters.others} ${others.map(
    ([name, value]) =>
      html`${hidden({ [name]: value })}<span class="chip">${words.list.filter(name, visibleText(value, 64))}</span>`,
  )}</p>`
}

const empty = ({ me }: DevicesPage): Html => html`<p><strong>${text.empty}</strong> ${text.emptyWhat}</p>
<p><a class="button primary" href="/console/brands">${text.emptyStep}</a>${
  may(me, 'devices:manage') && html` <a class="button" href="${PATH}/import">${text.emptyImport}</a>`
}</p>
<p class="quiet">${text.emptyCommand} <code>ratafia devices import --help</code></p>`

/** Returns the decisions that the user may make, and that are possible for a device on this page. */
function verbsFor({ me, devices }: Pick<DevicesPage, 'me' | 'devices'>): readonly BulkVerb[] {
  return BULK_VERBS.filter((verb) =>
    devices.some((device) => FITS[verb](device) && mayDo(me, verb, device.brand_id)),
  )
}

const FITS: Readonly<Record<BulkVerb, (device: ListedDevice) => boolean>> = {
  approve: canBeApproved,
  reject: waits,
  release: canBeReleased,
  revoke: canBeRevoked,
}

const mayDo = (me: Me, verb: BulkVerb, brand: string): boolean =>
  may(me, verb === 'approve' || verb === 'reject' ? 'devices:decide' : 'devices:manage', brand)

function below(page: DevicesPage): Html {
  const { query, devices, next } = page
  const verbs = verbsFor(page)
  const filters = without(query, 'cursor', 'sort', 'limit')
  return html`<form id="bulk" class="pager" method="get" action="${PATH}/bulk">${text.chosen} ${verbs.map(
    (verb) =>
      html`<button class="small${verb === 'revoke' && ' danger'}" name="do" value="${verb}">${text.verbs[verb]}</button>`,
  )}</form>
${
  filters.length > 0 &&
  html`<p class="pager">${text.all(howMany({ query, devices, next }, page.counts, filters))} ${verbs.map(
    (verb) =>
      html`<a href="${addressOf(`${PATH}/bulk`, [['do', verb], ...filters])}">${text.verbs[verb]}</a>`,
  )}</p>`
}`
}

/** Returns the number of matching devices if it is known, because lists do not count. */
function howMany(
  { query, devices, next }: Pick<DevicesPage, 'query' | 'devices' | 'next'>,
  { waiting }: DevicesPage['counts'],
  filters: readonly (readonly [string, string])[],
): number | undefined {
  if (next === null && query.get('cursor') === undefined) return devices.length
  const [[name, value] = [], ...others] = filters
  const isWaiting = name === 'status' && value === 'pending' && others.length === 0
  return isWaiting && !waiting.more ? waiting.devices : undefined
}
