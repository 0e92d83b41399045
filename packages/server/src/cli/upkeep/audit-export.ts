/** `ratafia audit export`: the log as a file, from the database or from a service. */
import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { AuditRow } from '../../audit/export.ts'
import { isObject, jsonIn } from '../../foreign-json.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { counted, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { eitherWay, goes } from '../service/ways.ts'
import { writeOut } from '../write-whole.ts'
import { type FilterOptions, filterOf, queryOf, withFilter } from './audit-filter.ts'

type AuditFormat = 'csv' | 'jsonl'

interface ExportOptions extends FilterOptions {
  readonly format?: AuditFormat
}

type Pages = AsyncIterable<readonly AuditRow[]>

export function auditExportCommand(audit: Command, context: CommandContext): void {
  goes(withFilter(withJson(audit.command('export [file]'))), 'both', ['exportAudit'])
    .description('write the changes to a file, or to standard output, oldest first')
    .addOption(
      new Option(
        '--format <format>',
        'JSON lines, or CSV (default: by the ending of the file; jsonl on standard output)',
      ).choices(['jsonl', 'csv']),
    )
    .action((file: string | undefined, options: ExportOptions) => exportTo(file, options, context))
}

async function exportTo(
  file: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  if (file === undefined && options.json) {
    throw new UsageError('Name a file: --json answers on standard output, where the entries would go too.')
  }
  const format = options.format ?? (file === undefined ? 'jsonl' : formatOf(file))
  let exported = 0
  const write = async (pages: Pages) => {
    const counting = async function* () {
      for await (const rows of pages) {
        exported += rows.length
        yield rows
      }
    }
    await writeOut(await textOf(counting(), format), file, context.streams)
  }
  await eitherWay(context, options, 'read', {
    directly: async (installation) => {
      const { exportAudit } = await import('../../audit/export.ts')
      const { authority } = installation
      await write(exportAudit({ filter: filterOf(options, installation.clock()), authority }, installation))
    },
    over: (service) => write(pagesOver(service, options)),
  })
  if (file !== undefined) {
    print(
      context,
      options,
      { exported, file },
      `${counted(exported, 'entry', 'entries')} exported to ${file}.`,
    )
  }
}

async function textOf(pages: Pages, format: AuditFormat): Promise<AsyncIterable<string>> {
  if (format === 'jsonl') return (await import('../../files/json-lines.ts')).jsonLines(pages)
  const { AUDIT_COLUMNS } = await import('../../audit/export.ts')
  const { exportText } = await import('../../files/export-rows.ts')
  return exportText(pages, { format: 'csv', columns: AUDIT_COLUMNS })
}

/** The service sends JSON lines, of which this makes either format. */
async function* pagesOver(service: Service, options: ExportOptions): AsyncGenerator<readonly AuditRow[]> {
  const { AUDIT_COLUMNS } = await import('../../audit/export.ts')
  const query = { ...queryOf(filterOf(options, new Date())), format: 'ndjson' }
  const operation = { method: 'GET', path: '/audit/export' } as const
  let rows: AuditRow[] = []
  for await (const line of service.lines(operation, { query })) {
    const value = jsonIn(line)
    if (!isObject(value) || AUDIT_COLUMNS.some((column) => !isCell(value[column]))) {
      throw new ServiceRefusal(
        `${service.url} answers with a line that is no entry: it may be another program. Check --url.`,
      )
    }
    // The columns, and nothing else, in their order: the line above has looked at each.
    rows.push(Object.fromEntries(AUDIT_COLUMNS.map((column) => [column, value[column]])) as AuditRow)
    if (rows.length < TOGETHER) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** How many entries are written at a time. */
const TOGETHER = 500

const isCell = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number'

/** Throws {@link UsageError} for a name that says neither. */
function formatOf(file: string): AuditFormat {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl'
  throw new UsageError(`${file} ends neither in .csv nor in .jsonl. Give --format.`)
}
