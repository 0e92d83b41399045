/** Rows as JSON, a line each, in chunks: each line can be read by itself. */
export async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
