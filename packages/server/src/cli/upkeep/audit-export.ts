/** `ratafia audit export`: writes the audit log to a file; and the options that select its entries. */
import { extname } from 'node:path'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { ACTIONS } from '../../change.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readAgo, requireText } from '../option-values.ts'
import { withJson } from '../output.ts'
import { exportRows } from '../service/export-rows.ts'
import { goes } from '../service/ways.ts'

type AuditFormat = 'csv' | 'jsonl'

export function auditExportCommand(audit: Command, context: CommandContext): void {
  goes(withFilter(withJson(audit.command('export [file]'))), 'both', ['exportAudit'])
    .description('write the entries to a file or to standard output, oldest first')
    .addOption(
      new Option(
        '--format <format>',
        'JSON lines, or CSV (default: by its extension; jsonl on standard output)',
      ).choices(['jsonl', 'csv']),
    )
    .action(async (file: string | undefined, options: FilterOptions & { readonly format?: AuditFormat }) => {
      const format = options.format ?? (file === undefined ? 'jsonl' : formatOf(file))
      const { AUDIT_COLUMNS: columns } = await import('../../audit/entry.ts')
      await exportRows(context, options, file, {
        ...{ operation: api.exportAudit, columns, format: format === 'jsonl' ? 'ndjson' : format },
        query: (now) => filterQuery(options, now),
        nouns: ['an entry', 'entry', 'entries'],
      })
    })
}

/** Returns the format for a name's ending. Throws {@link UsageError} for other endings. */
function formatOf(file: string): AuditFormat {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl'
  throw new UsageError(`${file} ends neither in .csv nor in .jsonl. Pass --format.`)
}

export interface FilterOptions extends CommonOptions {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
}

export const withFilter = (command: Command): Command =>
  command
    .option(
      '--actor <actor>',
      'only changes by operator, service, account:USERNAME, device-key:ID or issuer:URL',
    )
    .option('--action <action>', 'only changes with this action (`audit list --help` lists the actions)')
    .option('--subject <id>', 'only changes to this object: a username, session, device, model, …')
    .option(
      '--since <time>',
      'only changes since this time: a time such as 2027-01-31T00:00:00Z, or how long ago, such as 7d',
    )
    .option('--until <time>', 'only changes before this time')

/** Returns the options as a query for the API. Throws {@link UsageError}. */
export function filterQuery({ actor, action, subject, since, until }: FilterOptions, now: Date) {
  if (action !== undefined && !(action in ACTIONS)) {
    throw new UsageError(
      `--action ${action} is not an action. \`ratafia audit list --help\` lists the actions.`,
    )
  }
  requireText([actor, subject])
  return {
    ...{ actor, action, subject },
    since: readAgo('--since', since, now)?.toISOString(),
    until: readAgo('--until', until, now)?.toISOString(),
  }
}
