/** `ratafia audit`: who changed what, when, and from where. */
import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { Anchor, AuditVerdict } from '../../audit/verify.ts'
import { ACTIONS } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readCount, readInstant, requireText } from '../option-values.ts'
import {
  counted,
  type JsonOption,
  note,
  print,
  printList,
  type RowOf,
  withJson,
  withList,
} from '../output.ts'
import { withProgress } from '../progress.ts'
import { writeOut } from '../write-whole.ts'

interface FilterOptions extends JsonOption {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
}

interface ListOptions extends FilterOptions {
  readonly limit: string
  readonly before?: string
}

type AuditFormat = 'csv' | 'jsonl'

interface ExportOptions extends FilterOptions {
  readonly format?: AuditFormat
}

const ACTIONS_HELP = `
Actions:
${Object.entries(ACTIONS)
  .map(([name, meaning]) => `  ${name}\n      ${meaning}`)
  .join('\n')}`

const VERIFY_HELP = `
It prints SEQ:HASH of the last entry. Keep that elsewhere and give it to the next verification with --expect. Anyone who can
write to the database could shorten the chain or build a new one, and nothing in the database itself would show it.`

const COLUMNS = ['seq', 'at', 'actor', 'source', 'action', 'subject', 'details', 'id'] as const

export function auditCommands(parent: Command, context: CommandContext): void {
  const audit = parent.command('audit').description('the audit log: who changed what, when, from where')

  withFilter(withList(audit.command('list'), COLUMNS))
    .description('list the newest changes, or those before one of them')
    .option('--limit <number>', 'how many to show', '100')
    .option('--before <id>', 'the next page: those made before this entry')
    .addHelpText('after', ACTIONS_HELP)
    .action((options: ListOptions) => list(options, context))

  withJson(audit.command('verify'))
    .description('check whether an entry was changed, removed, moved or inserted; exit code 1 if so')
    .option(
      '--expect <seq:hash>',
      'the end that an earlier verification printed: the log must still contain it',
    )
    .addHelpText('after', VERIFY_HELP)
    .action((options: JsonOption & { readonly expect?: string }) => verify(options, context))

  withFilter(withJson(audit.command('export [file]')))
    .description('write the changes to a file, or to standard output, oldest first')
    .addOption(
      new Option(
        '--format <format>',
        'JSON lines, or CSV (default: by the ending of the file; jsonl on standard output)',
      ).choices(['jsonl', 'csv']),
    )
    .action((file: string | undefined, options: ExportOptions) => exportTo(file, options, context))
}

const withFilter = (command: Command): Command =>
  command
    .option(
      '--actor <actor>',
      'only changes by operator, service, account:USERNAME, device-key:ID or issuer:URL',
    )
    .option('--action <action>', 'only this action (`audit list --help` lists them)')
    .option('--subject <id>', 'only changes to this username, session, device, model, …')
    .option(
      '--since <when>',
      'only changes from this time on: a time such as 2027-01-31T00:00:00Z, or how long ago, such as 7d',
    )
    .option('--until <when>', 'only changes before this time')

/** Throws {@link UsageError}. */
function filterOf({ actor, action, subject, since, until }: FilterOptions, now: Date) {
  if (action !== undefined && !(action in ACTIONS)) {
    throw new UsageError(`--action ${action} is not an action. \`ratafia audit list --help\` lists them.`)
  }
  requireText([actor, subject])
  return {
    actor,
    action,
    subject,
    since: readInstant('--since', since, { now, direction: 'ago' }),
    until: readInstant('--until', until, { now, direction: 'ago' }),
  }
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { isAuditEntryId } = await import('@ratafia/api')
  const { listAudit } = await import('../../audit/list.ts')
  const { before } = options
  if (before !== undefined && !isAuditEntryId(before)) {
    throw new UsageError(`--before ${before} is not the id of an entry.`)
  }
  const limit = readCount('--limit', options.limit)
  const { entries, next } = await context.readInstallation((installation) =>
    listAudit({ ...filterOf(options, installation.clock()), before, limit }, installation),
  )
  const rows = entries.map(
    ({ link, at, details, ...entry }): RowOf<typeof COLUMNS> => ({
      seq: link?.seq ?? null,
      ...entry,
      at: at.toISOString(),
      details: options.json ? JSON.parse(details) : details === '{}' ? '' : details,
    }),
  )
  printList(context, options, rows, {
    columns: ['seq', 'at', 'actor', 'source', 'action', 'subject', 'details'],
    empty: before === undefined ? 'There is no such entry.' : 'There are no more.',
  })
  if (next !== undefined && !options.json) {
    note(context.streams, `There are more: --before ${next} shows the next ${limit}.`)
  }
}

async function verify(
  options: JsonOption & { readonly expect?: string },
  context: CommandContext,
): Promise<void> {
  const { verifyAudit } = await import('../../audit/verify.ts')
  const expect = options.expect === undefined ? undefined : readAnchor(options.expect)
  const verdict = await context.readInstallation((installation) =>
    withProgress(context.streams, ['Verifying', 'entries'], (onProgress) =>
      verifyAudit({ expect, onProgress }, installation),
    ),
  )
  const { verified, unlinked, end, broken } = verdict
  const document = {
    verified,
    unlinked,
    end: `${end.seq}:${end.hash}`,
    broken_at: broken?.seq ?? null,
    why: broken?.why ?? null,
  }
  print(context, options, document, broken ? '' : report(verdict))
  if (broken) {
    throw new RequestError(
      'invalid-request',
      `The audit log is broken at entry ${broken.seq}: ${broken.why}. Entries before it are intact: ${verified}.`,
    )
  }
}

function report({ verified, unlinked, end }: AuditVerdict): string {
  const waiting = unlinked > 0 ? ` Not linked yet: ${unlinked}.` : ''
  return `The audit log is intact: ${counted(verified, 'entry', 'entries')}.${waiting}\nIts end: ${end.seq}:${end.hash}`
}

function readAnchor(text: string): Anchor {
  const [, seq, hash] = /^(0|[1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === undefined)
    throw new UsageError(`--expect ${text} is not what \`ratafia audit verify\` prints.`)
  return { seq: Number(seq), hash }
}

async function exportTo(
  file: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  const { AUDIT_COLUMNS, exportAudit } = await import('../../audit/export.ts')
  const { exportText } = await import('../../files/export-rows.ts')
  if (file === undefined && options.json) {
    throw new UsageError('Name a file: --json answers on standard output, where the entries would go too.')
  }
  const format = options.format ?? (file === undefined ? 'jsonl' : formatOf(file))
  let exported = 0
  await context.readInstallation(async (installation) => {
    const counting = async function* () {
      for await (const rows of exportAudit(filterOf(options, installation.clock()), installation)) {
        exported += rows.length
        yield rows
      }
    }
    const text =
      format === 'csv'
        ? exportText(counting(), { format: 'csv', columns: AUDIT_COLUMNS })
        : jsonLines(counting())
    await writeOut(text, file, context.streams)
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

/** Throws {@link UsageError} for a name that says neither. */
function formatOf(file: string): AuditFormat {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl'
  throw new UsageError(`${file} ends neither in .csv nor in .jsonl. Give --format.`)
}

/** `details` stays the text that was hashed, so that each line can be checked by itself. */
async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
