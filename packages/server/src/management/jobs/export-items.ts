/** What became of each record of a job, as a file (contract/administration.md, A16 and A18). */
import type { Authority } from '../../authority.ts'
import { exportText } from '../../files/export-rows.ts'
import type { TransactionStores } from '../../stores.ts'
import { itemRecord, type JobOutcome } from './job.ts'
import { listItems } from './show-job.ts'

interface Wanted {
  readonly id: string
  readonly authority: Authority
  readonly outcome: JobOutcome | 'open' | undefined
  readonly format: 'ndjson' | 'csv'
}

const COLUMNS = ['subject', 'outcome', 'code', 'message', 'extra', 'result']
const PAGE = 1_000

/** The text, in chunks: the first page is read when this returns. Throws as `findJob` does. */
export async function exportItems(
  { format, ...asked }: Wanted,
  deps: TransactionStores,
): Promise<AsyncIterable<string>> {
  const first = await listItems({ ...asked, after: undefined, limit: PAGE }, deps)
  const pages = async function* () {
    for (let page = first; ; ) {
      yield page.items.map(itemRecord)
      if (page.next === undefined) return
      page = await listItems({ ...asked, after: page.next, limit: PAGE }, deps)
    }
  }
  return exportText(pages(), { format, columns: COLUMNS })
}
