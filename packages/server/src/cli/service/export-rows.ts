/** Writes the rows that a service exports as JSON lines to a file, or to standard output. */
import type { ExportRow } from '../../files/export-rows.ts'
import { isStreamed } from '../../files/streamed.ts'
import { isObject, jsonIn } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal, UsageError } from '../context.ts'
import { writeOut } from '../files/write-whole.ts'
import { counted, note, print } from '../output.ts'
import type { Asking, Service, ServiceOperation } from './service.ts'
import { withService } from './ways.ts'

interface Export {
  readonly operation: ServiceOperation
  readonly query: (now: Date) => Asking['query']
  readonly columns: readonly string[]
  readonly format: 'csv' | 'json' | 'ndjson'
  /** The noun for a row, with its article, such as `an entry`; and without it, for one and for many. */
  readonly nouns: readonly [what: string, one: string, many: string]
}

/**
 * Writes the rows, and reports how many are in the file. Throws {@link UsageError} for `--json` without a file, and
 * `FileError`, {@link ServiceRefusal} and the errors of `Service.lines`.
 */
export async function exportRows(
  context: CommandContext,
  options: CommonOptions,
  file: string | undefined,
  { operation, query, columns, format, nouns: [what, one, many] }: Export,
): Promise<void> {
  if (file === undefined && options.json) {
    throw new UsageError(`Pass a file: --json prints to standard output, where the ${many} would also go.`)
  }
  const { exportText } = await import('../../files/export-rows.ts')
  let exported = 0
  await withService(context, options, 'read', async (service) => {
    const asking = { query: { ...query(service.clock()), format: 'ndjson' } }
    const pages = async function* () {
      for await (const rows of exportedRows(service, operation, asking, { columns, what })) {
        exported += rows.length
        yield rows
      }
    }
    await writeOut(exportText(pages(), { format, columns }), file, context.streams)
  })
  if (file === undefined) return
  const told = `${counted(exported, one, many)} exported to ${file}.`
  // The file may be standard output itself.
  if (!options.json && (await isStreamed(file))) note(context.streams, told)
  else print(context, options, { exported, file }, told)
}

/** Rows that are written at a time. */
const TOGETHER = 500

/** Yields batches of rows. Throws {@link ServiceRefusal} for a line that is not such a row. */
async function* exportedRows(
  service: Service,
  operation: ServiceOperation,
  asking: Asking,
  { columns, what }: { readonly columns: readonly string[]; readonly what: string },
): AsyncGenerator<readonly ExportRow[]> {
  let rows: ExportRow[] = []
  for await (const line of service.lines(operation, asking)) {
    const row = rowOf(jsonIn(line), columns)
    if (!row) {
      throw new ServiceRefusal(
        `${service.url} answered with a line that is not ${what}. It may be another program. Check --url.`,
      )
    }
    rows.push(row)
    if (rows.length < TOGETHER) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** Returns exactly these columns, in this order, or undefined if one is missing. */
function rowOf(value: unknown, columns: readonly string[]): ExportRow | undefined {
  if (!isObject(value) || columns.some((column) => !isCell(value[column]))) return undefined
  // The check above guarantees the type of every cell.
  return Object.fromEntries(columns.map((column) => [column, value[column]])) as ExportRow
}

const isCell = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number'
