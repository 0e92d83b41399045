/** A list with its filters, with or without rows (contract/administration.md, C8 and C9). */
import { visibleText } from '../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { words } from '../words/en.ts'
import { type Choice, options } from './form.ts'
import { type Table, table } from './table.ts'

/** The fields that the pages of all lists have. */
export interface ListPage {
  /** The parameters in the URL. */
  readonly query: Query
  /** The cursor of the next page. */
  readonly next: string | null
  /** How many rows were searched, if the page may be short because of that limit (A8). */
  readonly examined?: number | undefined
}

export interface List<Row> extends Table<Row>, ListPage {
  /** The URL of the list without filters. */
  readonly path: string
  /** The filter fields, from {@link filterText} and similar functions; undefined for a list without filters. */
  readonly filters?: HtmlValue
  /** The text for a list without any record: what the list is for, and the first step. */
  readonly empty: HtmlValue
  /** Explains which fields a search covers, if nothing matches. */
  readonly searched?: HtmlValue
  /** The actions for the selected rows, below the table. */
  readonly below?: HtmlValue
}

/** A parameter of a URL. */
export type Entry = readonly [name: string, value: string]

export interface Query {
  readonly entries: readonly Entry[]
  get(name: string): string | undefined
}

export function list<Row>(one: List<Row>): Html {
  const { path, query, filters, rows, next } = one
  return html`${filters && filterForm(path, filters, isFiltered(query))}
${rows.length === 0 ? withoutRows(one) : html`<div class="card">${table(one)}${pager(one)}</div>${one.below}`}
${rows.length === 0 && next !== null && pager(one)}`
}

function withoutRows<Row>({ path, query, empty, searched, next, examined }: List<Row>): Html {
  if (next !== null) return html`<p class="notice warn" role="status">${words.list.partial(examined)}</p>`
  if (query.get('cursor') !== undefined) {
    return html`<p class="notice warn" role="status">${words.list.noMore} <a href="${path}">${words.list.firstPage}</a></p>`
  }
  if (!isFiltered(query)) return html`<div class="card">${empty}</div>`
  return html`<div class="card" role="status"><p><strong>${words.list.nothingMatches}</strong></p>
<p>${chosenFilters(query)}</p>${
    searched &&
    html`
<p>${searched}</p>`
  }
<p><a href="${path}">${words.list.clear}</a></p></div>`
}

function pager<Row>({ path, query, next, rows }: List<Row>): Html | undefined {
  const isFirst = query.get('cursor') === undefined
  if (isFirst && next === null) return undefined
  return html`<div class="pager"><span class="quiet">${words.list.shown(rows.length)}</span>${
    !isFirst &&
    html`<a class="button small" href="${addressOf(path, without(query, 'cursor'))}">${words.list.firstPage}</a>`
  }${
    next !== null &&
    html`<a class="button small push" rel="next" href="${addressOf(path, [...without(query, 'cursor'), ['cursor', next]])}">${
      rows.length === 0 ? words.list.goOn : words.list.next
    }</a>`
  }</div>`
}

/** Returns a URL with these parameters. */
export const addressOf = (path: string, entries: readonly Entry[]): string => {
  const query = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, value]),
  ).toString()
  return query === '' ? path : `${path}?${query}`
}

export const without = (query: Query, ...names: readonly string[]): readonly Entry[] =>
  query.entries.filter(([name, value]) => value !== '' && !names.includes(name))

const filtersIn = (query: Query): readonly Entry[] => without(query, 'cursor', 'sort', 'limit')
const isFiltered = (query: Query): boolean => filtersIn(query).length > 0

/** Shows each active filter as a chip. */
export const chosenFilters = (query: Query): Html =>
  html`${filtersIn(query).map(([name, value]) => html`<span class="chip">${visibleText(words.list.filter(name, value), 100)}</span>`)}`

const filterForm = (path: string, fields: HtmlValue, isSet: boolean): Html => html`
<form class="card filters" method="get" action="${path}" role="search">${fields}
<button class="primary small" type="submit">${words.list.show}</button>${isSet && html`<a href="${path}">${words.list.clear}</a>`}</form>`

interface Filter {
  readonly name: string
  readonly label: string
}

export const filterText = (
  query: Query,
  {
    name,
    label,
    type = 'text',
    size = 18,
  }: Filter & { readonly type?: 'text' | 'date'; readonly size?: number },
): Html =>
  html`<div><label for="q-${name}">${label}</label><input type="${type}" id="q-${name}" name="${name}" value="${query.get(
    name,
  )}"${type === 'text' && html` size="${size}"`} autocomplete="off" spellcheck="false"></div>`

/** The first choice stands for no filter; its value is empty. */
export const filterSelect = (
  query: Query,
  { name, label, choices }: Filter & { readonly choices: readonly Choice[] },
): Html =>
  html`<div><label for="q-${name}">${label}</label><select id="q-${name}" name="${name}">${options(
    choices,
    query.get(name),
  )}</select></div>`

export const filterCheck = (query: Query, { name, label }: Filter): Html =>
  html`<label class="plain"><input type="checkbox" name="${name}" value="true"${query.get(name) === 'true' && html` checked`}> ${label}</label>`

/** Filters that are rarely needed. They are visible while one of them is set. */
export const moreFilters = (query: Query, names: readonly string[], fields: HtmlValue): Html =>
  html`<details${names.some((name) => query.get(name) !== undefined) && html` open`}><summary>${words.list.more}</summary><div class="filters">${fields}</div></details>`
