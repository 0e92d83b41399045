/** Prints a list that may be long page by page, in the form of {@link printList}. */
import { once } from 'node:events'
import type { CommonOptions, Streams } from './context.ts'
import { cellsOf, noteCut, print, type Row, titlesOf } from './output.ts'
import { coloured } from './terminal/colour.ts'
import { escaped } from './terminal/harmless.ts'
import { fitTable } from './terminal/table.ts'

interface LongListOptions {
  readonly columns: readonly string[]
  /** Text for a list without rows. */
  readonly empty: string
}

export class LongList {
  readonly #streams: Streams
  readonly #options: CommonOptions
  readonly #columns: readonly string[]
  readonly #empty: string
  #widths: readonly number[] = []
  #begun = false
  #cut = false

  constructor(streams: Streams, options: CommonOptions, { columns, empty }: LongListOptions) {
    this.#streams = streams
    this.#options = options
    this.#columns = options.columns ?? columns
    this.#empty = empty
  }

  /** Resolves when the reader has room for more. */
  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return
    const text = this.#options.json ? this.#items(rows) : this.#lines(rows)
    this.#begun = true
    const { stdout } = this.#streams
    if (!stdout.write(text)) await once(stdout, 'drain')
  }

  /** Call it after the last page. */
  end(): void {
    const { stdout } = this.#streams
    if (!this.#begun) print({ streams: this.#streams }, this.#options, [], this.#empty)
    else if (this.#options.json) stdout.write(']\n')
    if (this.#cut) noteCut(this.#streams)
  }

  #items(rows: readonly Row[]): string {
    const items = escaped(rows.map((row) => JSON.stringify(row)).join(','))
    return `${this.#begun ? ',' : '['}${items}`
  }

  /** Keeps the columns of later pages at least as wide as those above. */
  #lines(rows: readonly Row[]): string {
    const { stdout } = this.#streams
    const width = stdout.isTTY ? stdout.columns : undefined
    const cells = cellsOf(rows, this.#columns)
    const shown = this.#begun ? cells : [titlesOf(this.#columns), ...cells]
    const { lines, widths, cut } = fitTable(shown, { width, atLeast: this.#widths })
    this.#widths = widths
    this.#cut ||= cut
    const [first = '', ...rest] = lines
    return [this.#begun ? first : coloured('bold', first, stdout), ...rest, ''].join('\n')
  }
}
