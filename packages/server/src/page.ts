/** One page of a list. */

/** Which page of a list. */
export interface Paging<Position> {
  /** The last row of the previous page. */
  readonly after?: Position | undefined
  readonly limit: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The last row, after which the next page begins; undefined on the last page. */
  readonly next: Row | undefined
}

/** Returns at most `limit` rows. `read` gets `limit + 1`, because one more row shows whether there is another page. */
export async function pageOf<Row>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? rows.at(-1) : undefined }
}
