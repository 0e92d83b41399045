/** `ratafia audit export`: writes the audit log to a file, from the database or from a service. */
import { extname } from 'node:path'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import type { AuditRow } from '../../audit/audit-row.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { printWritten, writePages } from '../files/write-whole.ts'
import { counted, withJson } from '../output.ts'
import { exportedRows } from '../service/exported-rows.ts'
import { goes, withService } from '../service/ways.ts'
import { type FilterOptions, filterOf, queryOf, withFilter } from './audit-filter.ts'

type AuditFormat = 'csv' | 'jsonl'

interface ExportOptions extends FilterOptions {
  readonly format?: AuditFormat
}

type Pages = AsyncIterable<readonly AuditRow[]>

export function auditExportCommand(audit: Command, context: CommandContext): void {
  goes(withFilter(withJson(audit.command('export [file]'))), 'both', ['exportAudit'])
    .description('write the entries to a file or to standard output, oldest first')
    .addOption(
      new Option(
        '--format <format>',
        'JSON lines, or CSV (default: by its extension; jsonl on standard output)',
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
    throw new UsageError('Pass a file: --json prints to standard output, where the entries would also go.')
  }
  const format = options.format ?? (file === undefined ? 'jsonl' : formatOf(file))
  const textOf = await textIn(format)
  const write = (pages: Pages) => writePages(pages, textOf, { file, streams: context.streams })
  const exported = await withService(context, options, 'read', async (service) => {
    const { AUDIT_COLUMNS: columns } = await import('../../audit/audit-row.ts')
    const query = queryOf(filterOf(options, service.clock()))
    return write(exportedRows(service, api.exportAudit, { query, columns, what: 'an entry' }))
  })
  if (file !== undefined) {
    await printWritten(
      context,
      options,
      { exported, file },
      `${counted(exported, 'entry', 'entries')} exported to ${file}.`,
    )
  }
}

/** Returns the function that turns the service's JSON lines into the format. */
async function textIn(format: AuditFormat): Promise<(pages: Pages) => AsyncIterable<string>> {
  if (format === 'jsonl') return (await import('../../files/export-rows.ts')).jsonLines
  const { AUDIT_COLUMNS: columns } = await import('../../audit/audit-row.ts')
  const { exportText } = await import('../../files/export-rows.ts')
  return (pages) => exportText(pages, { format: 'csv', columns })
}

/** Returns the format for a name's ending. Throws {@link UsageError} for other endings. */
function formatOf(file: string): AuditFormat {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl'
  throw new UsageError(`${file} ends neither in .csv nor in .jsonl. Pass --format.`)
}
