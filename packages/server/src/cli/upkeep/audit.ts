/** `ratafia audit`: who changed what, when, and from where. */
import type { Command } from 'commander'
import type { ListedEntry } from '../../audit/audit-store.ts'
import type { Anchor, AuditVerdict } from '../../audit/verify.ts'
import { ACTIONS } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readCount } from '../option-values.ts'
import {
  counted,
  type JsonOption,
  type ListOption,
  note,
  print,
  printList,
  type Row,
  withJson,
  withList,
} from '../output.ts'
import { withProgress } from '../progress.ts'
import { asRow } from '../service/as-row.ts'
import { eitherWay, goes } from '../service/ways.ts'
import { auditExportCommand } from './audit-export.ts'
import { type FilterOptions, filterOf, queryOf, withFilter } from './audit-filter.ts'

interface ListOptions extends FilterOptions, ListOption {
  readonly limit: string
  readonly before?: string
}

const ACTIONS_HELP = `
Actions:
${Object.entries(ACTIONS)
  .map(([name, meaning]) => `  ${name}\n      ${meaning}`)
  .join('\n')}`

const VERIFY_HELP = `
It prints SEQ:HASH of the last entry. Keep that elsewhere and give it to the next verification with --expect. Anyone who can
write to the database could shorten the chain or build a new one, and nothing in the database itself would show it.`

const LIST = { method: 'GET', path: '/audit' } as const

const COLUMNS = ['seq', 'at', 'actor', 'source', 'action', 'subject', 'details', 'id'] as const

export function auditCommands(parent: Command, context: CommandContext): void {
  const audit = parent.command('audit').description('the audit log: who changed what, when, from where')

  goes(withFilter(withList(audit.command('list'), COLUMNS)), 'both', ['audit'])
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

  auditExportCommand(audit, context)
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { isAuditEntryId } = await import('@ratafia/api')
  const { before } = options
  if (before !== undefined && !isAuditEntryId(before)) {
    throw new UsageError(`--before ${before} is not the id of an entry.`)
  }
  const limit = readCount('--limit', options.limit)
  const { records, more } = await eitherWay(context, options, 'read', {
    directly: async (installation) => {
      const { auditRecord } = await import('../../audit/audit-record.ts')
      const { listAudit } = await import('../../audit/list.ts')
      const listing = { ...filterOf(options, installation.clock()), authority: installation.authority }
      const all: ListedEntry[] = []
      for (let from = before; ; ) {
        const page = await listAudit({ ...listing, before: from, limit: limit - all.length }, installation)
        all.push(...page.entries)
        from = page.next
        if (from === undefined || all.length === limit) {
          return { records: all.map(auditRecord) as readonly JsonObject[], more: from !== undefined }
        }
      }
    },
    over: (service) => {
      const query = { ...queryOf(filterOf(options, new Date())), before }
      return service.list(LIST, 'entries', { query, most: limit })
    },
  })
  if (options.json) return print(context, options, records, '')
  printList(context, options, records.map(rowOf), {
    columns: ['seq', 'at', 'actor', 'source', 'action', 'subject', 'details'],
    empty: before === undefined ? 'There is no such entry.' : 'There are no more.',
  })
  if (more) {
    const next = String(records.at(-1)?.['id'])
    note(context.streams, `There are more: --before ${next} shows the next ${limit}.`)
  }
}

/** For people: most entries have no details. */
const rowOf = (record: JsonObject): Row => {
  const row = asRow(record)
  return row['details'] === '{}' ? { ...row, details: '' } : row
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
