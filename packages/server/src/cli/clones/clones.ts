/** `ratafia clones`: evidence that a device key or a serial has a second holder. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { CLONE_EVIDENCE_KINDS, type CloneEvidenceKind } from '../../devices/clones/clone-evidence.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readAgo, readCount, requireText } from '../option-values.ts'
import { note, withList } from '../output.ts'
import { printRecords } from '../service/as-row.ts'
import { goes, withService } from '../service/ways.ts'

const COLUMNS = [
  ...['last_seen_at', 'brand_id', 'model', 'serial', 'kind', 'times', 'status', 'quarantined_at'],
  ...['subject', 'first_seen_at', 'details', 'device_id'],
]
const SHOWN = COLUMNS.slice(0, 8)

interface ListOptions extends CommonOptions {
  readonly kind?: CloneEvidenceKind
  readonly brand?: string
  readonly model?: string
  readonly since?: string
  readonly limit: string
}

export function cloneCommands(parent: Command, context: CommandContext): void {
  const clones = parent
    .command('clones')
    .description('list clones: evidence that a device key or a serial has a second holder')
  goes(withList(clones.command('list'), COLUMNS), 'both', ['cloneEvidence'])
    .description('list evidence of clones by device, the one with the newest evidence first')
    .addOption(new Option('--kind <kind>', 'only this kind of evidence').choices([...CLONE_EVIDENCE_KINDS]))
    .option('--brand <account-id>', 'only evidence about devices of one brand')
    .option('--model <brand/model>', 'only evidence about devices of one model')
    .option('--since <time>', 'only evidence seen since this time, or since a duration ago such as 7d')
    .option('--limit <number>', 'how many rows to show', '100')
    .action((options: ListOptions) => list(options, context))
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { kind, brand, model } = options
  requireText([brand, model])
  const limit = readCount('--limit', options.limit)
  if (model !== undefined) parseModelName(model)
  const { records, more } = await withService(context, options, 'read', (service) => {
    const since = readAgo('--since', options.since, service.clock())
    const query = { kind, brand, model, since: since?.toISOString() }
    return service.list(api.cloneEvidence, 'evidence', { query, most: limit })
  })
  printRecords(context, options, records, { columns: SHOWN, empty: 'No evidence of clones.' })
  if (more && !options.json) {
    note(context.streams, 'There is more evidence. Raise --limit, or use filters.')
  }
}
