/** Tables of records, which become labelled blocks on a narrow screen (contract/administration.md, C8 and C12). */
import { type Html, type HtmlValue, html } from '../html.ts'
import { words } from '../words/en.ts'

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => HtmlValue
  /** Whether a narrow screen hides the column. */
  readonly isOptional?: boolean
  readonly isNumber?: boolean
}

export interface Table<Row> {
  /** The region's name for screen readers. */
  readonly label: string
  readonly caption?: HtmlValue
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Checkboxes in front of the rows. */
  readonly choose?: Choosing<Row>
}

interface Choosing<Row> {
  /** The element id of the form that they belong to. */
  readonly form: string
  readonly name: string
  readonly value: (row: Row) => string
  /** The name of the row. */
  readonly label: (row: Row) => string
  /** Whether a row has a checkbox. Default: every row has one. */
  readonly may?: (row: Row) => boolean
}

export function table<Row>({ label, caption, columns, rows, choose }: Table<Row>): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="stack" role="table">${
    caption && html`<caption>${caption}</caption>`
  }
<thead><tr role="row">${choose && html`<th scope="col" role="columnheader">${chooseAll(choose)}</th>`}${columns.map(
    (column) => html`<th scope="col" role="columnheader"${classOf(column)}>${column.label}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (row) => html`
<tr role="row">${choose && box(choose, row)}${columns.map((column) => cell(column, row))}</tr>`,
  )}
</tbody></table></div>`
}

const cell = <Row>(column: Column<Row>, row: Row): Html =>
  html`<td role="cell" data-l="${column.label}"${classOf(column)}>${column.cell(row)}</td>`

const box = <Row>({ form, name, value, label, may }: Choosing<Row>, row: Row): Html =>
  may?.(row) === false
    ? html`<td role="cell" class="opt"></td>`
    : html`<td role="cell" data-l="${words.table.choose}"><input type="checkbox" form="${form}" name="${name}" value="${value(
        row,
      )}" aria-label="${words.table.chooseOne(label(row))}"></td>`

/** Without a script, the column's head is a word instead of a checkbox that does nothing. */
const chooseAll = <Row>({ name }: Choosing<Row>): Html =>
  html`<span class="quiet">${words.table.choose}</span><span hidden> <input type="checkbox" data-all="${name}" aria-label="${words.table.chooseAll}"></span>`

function classOf({ isOptional, isNumber }: Omit<Column<never>, 'cell'>): Html | undefined {
  if (isOptional && isNumber) return html` class="opt num"`
  if (isOptional) return html` class="opt"`
  return isNumber ? html` class="num"` : undefined
}
