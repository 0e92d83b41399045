/** `ratafia clones`: evidence that a device key or a serial has a second holder. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { CLONE_EVIDENCE_KINDS, type CloneEvidenceKind } from '../../devices/clones/clone-evidence.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readAgo, readCount, requireText } from '../option-values.ts'
import { withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import { goes } from '../service/ways.ts'

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
    .action(({ kind, brand, model, since, limit, ...options }: ListOptions) => {
      requireText([brand, model])
      const most = readCount('--limit', limit)
      if (model !== undefined) parseModelName(model)
      return listRecords(context, options, {
        ...{ operation: api.cloneEvidence, name: 'evidence', most },
        asking: ({ clock }) => {
          const at = readAgo('--since', since, clock())
          return { query: { kind, brand, model, since: at?.toISOString() } }
        },
        ...{ columns: SHOWN, empty: 'No evidence of clones.', filters: { kind, brand, model, since } },
        more: options.json ? undefined : 'There is more evidence. Raise --limit, or use filters.',
      })
    })
}
