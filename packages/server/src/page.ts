/** One page of a list. */

/** Which page of a list. */
export interface Paging<Position> {
  /** What the page before ended with. */
  readonly after?: Position | undefined
  readonly limit: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The last of them, behind which the next page begins. Undefined: nothing follows. */
  readonly next: Row | undefined
}

/** At most `limit` rows: `read` gets a larger number, because one more row shows whether there is another page. */
export async function pageOf<Row>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? rows.at(-1) : undefined }
}
