/** The limits of a developer token, as chips and as a sentence. */
import { visibleText } from '../../text/visible-text.ts'
import { type Html, html } from '../html.ts'
import { permissionInWords } from '../permissions.ts'
import { words } from '../words/en.ts'
import { chip } from './chip.ts'

/** Null means no limit. */
export interface Limits {
  readonly permissions: readonly string[] | null
  readonly channels: readonly string[] | null
  /** Names or snap ids. */
  readonly packages: readonly string[] | null
  readonly store_ids: readonly string[] | null
}

const text = words.limits
/** The number of values of each kind, because a row of a list has no room for more. */
const MOST = 4

/** Shows limits in a row of a list; null if they were not recorded. */
export function limitChips(limits: Limits | null): Html {
  if (limits === null) return html`<span class="quiet">${text.notRecorded}</span>`
  const { permissions, packages, channels, store_ids: stores } = limits
  return html`${permissions === null ? everything : some(permissions, text.shortPermission)}${
    packages && html`<br><span class="quiet">${text.packages}</span> ${some(packages)}`
  }${channels && html`<br><span class="quiet">${text.channels}</span> ${some(channels)}`}${
    stores && html`<br><span class="quiet">${text.stores}</span> ${some(stores)}`
  }`
}

const everything = html`<span class="chip is-warn">${text.everything}</span>`

const some = (values: readonly string[], shown: (value: string) => string = (value) => value): Html =>
  html`${values.slice(0, MOST).map((value) => chip(shown(value)))}${
    values.length > MOST && html`<span class="quiet">${text.more(values.length - MOST)}</span>`
  }`

/** Shows each limit with its values, for the token page. */
export function limitList(limits: Limits | null): Html {
  if (limits === null) return html`<p class="quiet">${text.notRecordedLong}</p>`
  const rows = [
    [text.may, limits.permissions, text.everythingLong],
    [text.packages, limits.packages, text.allPackages],
    [text.channels, limits.channels, text.allChannels],
    [text.stores, limits.store_ids, text.allStores],
  ] as const
  return html`<dl>${rows.map(
    ([name, values, all]) =>
      html`<dt>${name}</dt><dd>${values === null ? all : values.map((value) => html`${named(value)}<br>`)}</dd>`,
  )}</dl>`
}

function named(value: string): Html {
  const meaning = permissionInWords(value)
  const code = html`<code>${visibleText(value, 80)}</code>`
  return meaning === undefined ? code : html`${meaning} <span class="quiet">${code}</span>`
}

/** Describes in one sentence what a holder of the token can do. */
export function limitSentence({ permissions, packages, channels, store_ids: stores }: Limits): Html {
  const codes = (values: readonly string[]) =>
    values.map((value, index) => html`${index > 0 && ', '}<code>${visibleText(value, 80)}</code>`)
  return text.sentence({
    may:
      permissions === null
        ? text.doEverything
        : permissions.map((name) => visibleText(text.shortPermission(name), 64)).join(', '),
    packages: packages && html`${codes(packages)}`,
    channels: channels && html`${codes(channels)}`,
    stores: stores && html`${codes(stores)}`,
  })
}
