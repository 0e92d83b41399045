/** `ratafia audit`: lists, checks and exports the record of every change. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { Anchor, AuditVerdict } from '../../audit/verify.ts'
import { ACTIONS } from '../../change.ts'
import { invalidRequest, stateConflict } from '../../errors.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import { type CommandContext, type CommonOptions, type Streams, UsageError } from '../context.ts'
import { describeJob, finishJob, itemsOf } from '../jobs/follow-job.ts'
import { readCount } from '../option-values.ts'
import { counted, print, type Row, withJson, withList } from '../output.ts'
import { withProgress } from '../progress.ts'
import { asRow, listRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, withService } from '../service/ways.ts'
import { auditExportCommand, type FilterOptions, filterQuery, withFilter } from './audit-export.ts'

interface ListOptions extends FilterOptions {
  readonly limit: string
  readonly before?: string
}

const ACTIONS_HELP = `
Actions:
${Object.entries(ACTIONS)
  .map(([name, meaning]) => `  ${name}\n      ${meaning}`)
  .join('\n')}`

const VERIFY_HELP = `
The command prints SEQ:HASH of the latest entry. Keep it elsewhere, and pass it to the next verification with
--expect. Anyone who can write to the database could shorten the chain or build a new one, and nothing in the
database itself would show it.`

const COLUMNS = ['seq', 'at', 'actor', 'source', 'action', 'subject', 'details', 'id']
const SHOWN = COLUMNS.slice(0, 7)

export function auditCommands(parent: Command, context: CommandContext): void {
  const audit = parent
    .command('audit')
    .description('read and check the audit log: who changed what, when and from where')

  goes(withFilter(withList(audit.command('list'), COLUMNS)), 'both', ['audit'])
    .description('list the newest entries, or those before a given one')
    .option('--limit <number>', 'how many entries to show', '100')
    .option('--before <id>', 'show the entries before this one: the next page')
    .addHelpText('after', ACTIONS_HELP)
    .action((options: ListOptions) => list(options, context))

  goes(withJson(audit.command('verify')), 'both', ['verifyAudit', 'job', 'jobItems'])
    .description('check whether an entry was changed, removed, moved or inserted; exit code 1 if so')
    .option(
      '--expect <seq:hash>',
      'the latest entry from an earlier verification, which the log must still contain',
    )
    .addHelpText('after', VERIFY_HELP)
    .action((options: VerifyOptions) => verify(options, context))

  auditExportCommand(audit, context)
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { isAuditEntryId } = await import('@ratafia/api')
  const { before, actor, action, subject, since, until } = options
  if (before !== undefined && !isAuditEntryId(before)) {
    throw new UsageError(`--before ${before} is not the id of an entry.`)
  }
  const most = readCount('--limit', options.limit)
  const more = (records: readonly JsonObject[]) =>
    `There are more entries. To see the next ${most}, pass --before ${records.at(-1)?.['id']}.`
  await listRecords(context, options, {
    ...{ operation: api.audit, name: 'entries', most, columns: SHOWN, row: rowOf },
    asking: ({ clock }) => ({ query: { ...filterQuery(options, clock()), before } }),
    ...(before === undefined
      ? { empty: 'No entries yet.', filters: { actor, action, subject, since, until } }
      : { empty: 'No more entries.' }),
    more: options.json ? undefined : more,
  })
}

/** Returns a row for people, with an empty cell instead of empty details, which most entries have. */
const rowOf = (record: JsonObject): Row => {
  const row = asRow(record)
  return row['details'] === '{}' ? { ...row, details: '' } : row
}

interface VerifyOptions extends CommonOptions {
  readonly expect?: string
}

async function verify(options: VerifyOptions, context: CommandContext): Promise<void> {
  const { readAnchor } = await import('../../audit/verify.ts')
  const expect = options.expect === undefined ? undefined : readAnchor(options.expect)
  if (options.expect !== undefined && !expect) {
    throw new UsageError(`--expect ${options.expect} is not SEQ:HASH as \`ratafia audit verify\` prints it.`)
  }
  const verdict = isDirect(options, context)
    ? await context.readInstallation((installation) => verifyHere(expect, installation, context.streams))
    : await withService(context, options, 'read', (service) =>
        verifyThere(options.expect, service, context.streams),
      )
  const { verified, unlinked, end, broken } = verdict
  const document = { verified, unlinked, end, broken_at: broken?.seq ?? null, why: broken?.why ?? null }
  const waiting = unlinked > 0 ? ` Not linked yet: ${unlinked}.` : ''
  const intact = `The audit log is intact: ${counted(verified, 'entry', 'entries')}.${waiting}\nLatest entry: ${end}`
  print(context, options, document, broken ? '' : intact)
  if (!broken) return
  throw invalidRequest(
    `The audit log is broken at entry ${broken.seq}: ${broken.why}. Intact entries before it: ${verified}.`,
  )
}

interface Verdict extends Pick<AuditVerdict, 'verified' | 'unlinked' | 'broken'> {
  /** The last intact entry, as `SEQ:HASH`. */
  readonly end: string
}

/** Verifies without a job, which would change the database. */
const verifyHere = (
  expect: Anchor | undefined,
  installation: Installation,
  streams: Streams,
): Promise<Verdict> =>
  withProgress(streams, ['Verifying', 'entries'], async (onProgress) => {
    const { anchorText, verifyAudit } = await import('../../audit/verify.ts')
    const found = await verifyAudit({ expect, onProgress }, installation)
    return { ...found, end: anchorText(found.end) }
  })

async function verifyThere(expect: string | undefined, service: Service, streams: Streams): Promise<Verdict> {
  const body = expect === undefined ? {} : { expect }
  const id = String((await service.recordOf(api.verifyAudit, { body }))['id'])
  const job = await finishJob(service, id, streams)
  const [item = {}] = await itemsOf(service, id)
  const { result, message } = item
  if (!isObject(result)) throw stateConflict(describeJob(job))
  const { verified, unlinked, broken_at: seq } = result
  const counts = { verified: Number(verified), unlinked: Number(unlinked) }
  const [, end = '', why = ''] = /^(\S+) ?(.*)$/.exec(String(message)) ?? []
  return { ...counts, end, broken: seq === undefined ? undefined : { seq: Number(seq), why } }
}
